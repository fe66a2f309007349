import protobuf from 'protobufjs'

// The messages of opentelemetry-proto 1.x that an ExportTraceServiceRequest is made of, with their numbers and types.
const MESSAGES = `
  package otlp;
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
  message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
  message RpcStatus { int32 code = 1; string message = 2; }
  message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
  message ExportLogsServiceResponse { ExportLogsPartialSuccess partial_success = 1; }
  message ExportLogsPartialSuccess { int64 rejected_log_records = 1; string error_message = 2; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
  message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
  message LogRecord {
    fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
    repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8; bytes trace_id = 9;
    bytes span_id = 10; fixed64 observed_time_unix_nano = 11; string event_name = 12;
  }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
  message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
  message InstrumentationScope {
    string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4;
  }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
    SpanKind kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
    repeated Event events = 11; uint32 dropped_events_count = 12;
    repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16;
    enum SpanKind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; PRODUCER = 4; CONSUMER = 5; }
    message Event {
      fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3;
      uint32 dropped_attributes_count = 4;
    }
    message Link {
      bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4;
      uint32 dropped_attributes_count = 5; fixed32 flags = 6;
    }
  }
  message Status { string message = 2; StatusCode code = 3; enum StatusCode { UNSET = 0; OK = 1; ERROR = 2; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value {
      string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
      ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
    }
  }
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValueList { repeated KeyValue values = 1; }
`

const strict = protobuf.parse(`syntax = "proto3"; ${MESSAGES}`).root

// The same definitions without the check that text is UTF-8, which is the one rule of proto3 that is not followed here.
const lenient = protobuf.parse(
  `edition = "2023"; option features.utf8_validation = NONE; option features.field_presence = IMPLICIT; ${MESSAGES}`,
).root

/** The official request as proto3 defines it: text that is not UTF-8 makes it unreadable. */
export const strictRequest = strict.lookupType('otlp.ExportTraceServiceRequest')

/** The official request, but text that is not UTF-8 is repaired. */
export const lenientRequest = lenient.lookupType('otlp.ExportTraceServiceRequest')

/** The official answers. */
export const officialResponse = strict.lookupType('otlp.ExportTraceServiceResponse')
export const officialRpcStatus = strict.lookupType('otlp.RpcStatus')

/** The official request and answer for logs. */
export const officialLogsRequest = strict.lookupType('otlp.ExportLogsServiceRequest')
export const officialLogsResponse = strict.lookupType('otlp.ExportLogsServiceResponse')
