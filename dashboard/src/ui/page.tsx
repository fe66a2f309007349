import { type ReactNode, useEffect } from 'react'
import './page.css'

interface PageProps {
  readonly title: string
  /** A line below the title that says what this page is for. */
  readonly lead?: ReactNode
  /** The actions of the page, beside its title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of every page: its title is also that of the tab. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Assay`
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead ? <p className="quiet">{lead}</p> : null}
        </div>
        {actions ? <div className="row">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
  /** Makes the card a place that other parts of the page can lead to. */
  readonly id?: string
}

export function Card({ title, actions, children, className = '', id }: CardProps) {
  return (
    <section className={`card ${className}`} {...(id === undefined ? {} : { id, tabIndex: -1 })}>
      {title || actions ? (
        <div className="card-head">
          {title ? <h2>{title}</h2> : <span />}
          {actions ? <div className="row">{actions}</div> : null}
        </div>
      ) : null}
      {children}
    </section>
  )
}
