import type { ReactNode } from 'react'
import { Link } from 'wouter'
import './button.css'

export function ButtonLink(props: {
  to: string
  variant?: 'primary' | 'plain' | 'quiet'
  children: ReactNode
}) {
  return (
    <Link href={props.to} className={`button button-${props.variant ?? 'plain'}`}>
      {props.children}
    </Link>
  )
}
