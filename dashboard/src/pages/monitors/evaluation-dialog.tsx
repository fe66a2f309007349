import { ButtonLink } from '../../ui/button-link.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { EvaluationView } from './evaluation-view.tsx'

/** The evaluation that the address names, beside the page. */
export function EvaluationDialog() {
  const [query, change] = useQueryState()
  const id = query.get('evaluation')
  return (
    <Dialog
      title="Evaluation"
      placement="side"
      isOpen={id !== null}
      onClose={() => change({ evaluation: undefined })}
    >
      {id === null ? null : (
        <>
          <p>
            <ButtonLink to={`/evaluations/${id}`}>Open as a page</ButtonLink>
          </p>
          <EvaluationView id={id} />
        </>
      )}
    </Dialog>
  )
}
