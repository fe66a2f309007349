import { useState } from 'react'
import { useWhoami } from '../shell/use-whoami.ts'
import { CodeBlock } from './code.tsx'
import './send-spans.css'
import { openTelemetryJs, openTelemetryPython, traceloopJs, traceloopPython } from './send-spans-snippets.ts'
import { Tabs } from './tabs.tsx'

/** How a program sends its spans to this very server: what to paste, for the three ways most programs take. */
export function SendSpans() {
  const [selected, setSelected] = useState('otel-js')
  const whoami = useWhoami()
  const address = { origin: location.origin, path: whoami.data?.otlp.http_path ?? '/v1/traces' }
  const grpcPort = whoami.data?.otlp.grpc_port
  const tabs = [
    {
      id: 'otel-js',
      title: 'OpenTelemetry JS',
      content: <CodeBlock label="JavaScript" text={openTelemetryJs(address)} />,
    },
    {
      id: 'otel-python',
      title: 'Python',
      content: <CodeBlock label="Python" text={openTelemetryPython(address)} />,
    },
    {
      id: 'traceloop',
      title: 'Traceloop SDK',
      content: (
        <div className="stack">
          <CodeBlock label="JavaScript" text={traceloopJs(address)} />
          <CodeBlock label="Python" text={traceloopPython(address)} />
        </div>
      ),
    },
  ]
  return (
    <div className="send-spans">
      <Tabs label="Ways to send spans" selected={selected} onSelect={setSelected} tabs={tabs} />
      <p className="quiet small">
        The key needs the permission <code>ingest</code>.
        {grpcPort ? ` OTLP over gRPC is accepted on port ${grpcPort}.` : null}
      </p>
    </div>
  )
}
