// OpenTelemetry for Java with spans made by hand, over HTTP or gRPC. It has no reader of JSON, so that the texts of the
// conversation come one by one.

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.concurrent.TimeUnit;

public class OtelExporter {
  public static void main(String[] args) {
    String key = "Bearer " + System.getenv("API_KEY");
    SpanExporter exporter =
        System.getenv("PROTOCOL").equals("grpc")
            ? OtlpGrpcSpanExporter.builder()
                .setEndpoint(System.getenv("OTLP_GRPC_URL"))
                .addHeader("authorization", key)
                .setCompression("gzip")
                .build()
            : OtlpHttpSpanExporter.builder()
                .setEndpoint(System.getenv("OTLP_URL") + "/v1/traces")
                .addHeader("authorization", key)
                .setCompression("gzip")
                .build();
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(BatchSpanProcessor.builder(exporter).build()).build();
    Tracer tracer = provider.get("guide");
    for (int at = 0; System.getenv("PROMPT_" + at) != null; at++) {
      Span span = tracer.spanBuilder("chat gpt-4o").startSpan();
      span.setAttribute("gen_ai.request.model", "gpt-4o");
      span.setAttribute("gen_ai.prompt.0.role", "user");
      span.setAttribute("gen_ai.prompt.0.content", System.getenv("PROMPT_" + at));
      span.setAttribute("gen_ai.completion.0.role", "assistant");
      span.setAttribute("gen_ai.completion.0.content", System.getenv("COMPLETION_" + at));
      span.end();
    }
    provider.shutdown().join(30, TimeUnit.SECONDS);
  }
}
