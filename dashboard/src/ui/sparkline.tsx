import './chart.css'
import { downsample } from './downsample.ts'

interface SparklineProps {
  readonly label: string
  /** Null where nothing is known: the line is broken there. */
  readonly values: readonly (number | null)[]
  readonly width?: number
  readonly height?: number
}

/** A small line without axes, of at most as many points as it is pixels wide. A value that stands alone is a dot. */
export function Sparkline({ label, values, width = 160, height = 36 }: SparklineProps) {
  const known = values.filter((value) => value !== null)
  const min = known.reduce((least, value) => Math.min(least, value), Infinity)
  const span = known.reduce((most, value) => Math.max(most, value), -Infinity) - min || 1
  const x = (at: number) => 2 + (at / Math.max(1, values.length - 1)) * (width - 4)
  const y = (value: number) => height - 3 - ((value - min) / span) * (height - 6)
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {downsample(values, width).map((run) =>
        run.length === 1 && run[0] ? (
          <circle key={run[0].at} cx={x(run[0].at)} cy={y(run[0].value)} r="1.8" />
        ) : (
          <polyline key={run[0]?.at} points={run.map(({ at, value }) => `${x(at)},${y(value)}`).join(' ')} />
        ),
      )}
    </svg>
  )
}
