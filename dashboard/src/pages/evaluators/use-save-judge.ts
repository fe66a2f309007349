import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { ApiError, api, ok } from '../../api/client.ts'
import { useToast } from '../../ui/toast.tsx'
import { changeBodyOf, createBodyOf, type JudgeDraft } from './judge-draft.ts'
import { faultOf } from './judge-faults.ts'

/** Stores a judge and goes to its page. A fault that the service finds is shown at its place in the form. */
export function useSaveJudge(slug: string | undefined) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const toast = useToast()
  const mutation = useMutation({
    mutationFn: (draft: JudgeDraft) => (slug === undefined ? create(draft) : change(slug, draft)),
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['evaluators'] })
      await queries.invalidateQueries({ queryKey: ['evaluator', saved.slug] })
      toast(saved.words)
      navigate(`/evaluators/${saved.slug}`)
    },
  })
  const { error } = mutation
  useEffect(() => {
    // Brings what is wrong into view, wherever on the page it is.
    if (error) document.querySelector<HTMLElement>('.judge-form [aria-invalid="true"]')?.focus()
  }, [error])
  return {
    send: mutation.mutate,
    isPending: mutation.isPending,
    isDone: mutation.isSuccess,
    error,
    fault: error instanceof ApiError && error.status === 400 ? faultOf(error.message) : undefined,
    forget: () => (mutation.isError ? mutation.reset() : undefined),
  }
}

interface Saved {
  readonly slug: string
  readonly words: string
}

async function create(draft: JudgeDraft): Promise<Saved> {
  const { slug } = await ok(api.POST('/v2/evaluators', { body: createBodyOf(draft) }))
  return { slug, words: `Saved “${draft.name.trim()}”. Setups can use it now.` }
}

async function change(slug: string, draft: JudgeDraft): Promise<Saved> {
  const params = { path: { evaluator: slug } }
  const answer = await ok(api.PATCH('/v2/evaluators/{evaluator}', { params, body: changeBodyOf(draft) }))
  return { slug, words: `Saved. Version ${answer.evaluator.version} is the current one.` }
}
