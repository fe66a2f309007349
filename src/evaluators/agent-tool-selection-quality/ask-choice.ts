import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { callText, requireReadable, transcriptOf } from '../trajectory/turns.ts'
import type { ToolSelection } from './agent-tool-selection-quality.ts'
import { type Choice, type Faults, findFaults } from './read-choice.ts'

const CHOICE_TASK = [
  'An agent was asked for something and could call tools. Each item is one call that it made. Decide whether it chose the',
  'right tool; the values of the arguments are not your concern.',
  'right: the conversation calls for this tool at this point; quote the words of the conversation that ask for it.',
  'wrong_tool: another of the tools serves what was asked for better.',
  'needless: nothing in the conversation calls for a tool, none of the tools serves it, or the result is known already.',
].join('\n')

const SILENCE_TASK = [
  'An agent was asked for something and could call tools, but called none. Decide about the one item.',
  'right: none of the tools serves what was asked for, or something must be said or asked first.',
  'call_needed: a tool serves it and could have been called now; quote the words of the conversation that ask for it.',
].join('\n')

const ARGUMENTS_TASK = [
  'An agent called tools. Each item is one argument of a call. Decide whether its value is right.',
  'fits: the conversation gives this value, it follows from it, it is the same in another notation, or it is a sensible',
  'value where the conversation leaves it open.',
  'contradicts: the conversation asks for another value; quote the words that do.',
  'made_up: the tool cannot do without the value, but the conversation does not give it and it cannot be known.',
].join('\n')

/** Decides by the definitions of the tools what they decide, and asks about the rest. */
export async function askAboutChoice(choice: Choice, judge: Judge): Promise<ToolSelection> {
  const faults = findFaults(choice)
  if (faults.tool !== undefined) return wrongTool(faults.tool)
  requireReadable('input_messages', transcriptOf(choice.before), JSON.stringify(choice.tools))
  if (choice.calls.length === 0) return askAboutSilence(choice, judge)
  const chosen = await judgeItems(judge, {
    prompt: 'agent-tool-selection-quality/choice@1',
    task: CHOICE_TASK,
    material: materialOf(choice),
    items: choice.calls.map(callText),
    verdicts: ['right', 'wrong_tool', 'needless'],
    evidence: { verdicts: ['right'], source: transcriptOf(choice.before), otherwise: 'needless' },
  })
  judge.note('calls', chosen)
  const wrong = chosen.find(({ verdict }) => verdict !== 'right')
  if (wrong) return wrongTool(`${wrong.item}: ${wrong.reason}`)
  return {
    ...rightTool(chosen.map(({ reason }) => reason).join(' ')),
    ...(await askAboutArguments(choice, faults, judge)),
  }
}

async function askAboutSilence(choice: Choice, judge: Judge): Promise<ToolSelection> {
  const [answer] = await judgeItems(judge, {
    prompt: 'agent-tool-selection-quality/silence@1',
    task: SILENCE_TASK,
    material: [...materialOf(choice), { label: 'what the agent said', data: choice.said }],
    items: ['The agent calls no tool.'],
    verdicts: ['right', 'call_needed'],
    evidence: { verdicts: ['call_needed'], source: transcriptOf(choice.before), otherwise: 'right' },
  })
  judge.note('silence', answer)
  return answer?.verdict === 'call_needed' ? wrongTool(answer.reason) : noCall(answer?.reason ?? '')
}

async function askAboutArguments(
  choice: Choice,
  faults: Faults,
  judge: Judge,
): Promise<Pick<ToolSelection, 'correct_args' | 'correct_args_reason'>> {
  if (faults.args !== undefined) return { correct_args: false, correct_args_reason: faults.args }
  const items = choice.calls.flatMap(({ name, arguments: args }) =>
    typeof args === 'string'
      ? [`${name}: ${args}`]
      : Object.entries(args).map(([key, value]) => `${name}: ${key} = ${JSON.stringify(value)}`),
  )
  if (items.length === 0) return { correct_args: true, correct_args_reason: 'The call needs no arguments.' }
  const judged = await judgeItems(judge, {
    prompt: 'agent-tool-selection-quality/arguments@1',
    task: ARGUMENTS_TASK,
    material: materialOf(choice),
    items,
    verdicts: ['fits', 'contradicts', 'made_up'],
    // An accusation that nothing in the conversation bears out does not hold.
    evidence: { verdicts: ['contradicts'], source: transcriptOf(choice.before), otherwise: 'fits' },
  })
  judge.note('arguments', judged)
  const wrong = judged.filter(({ verdict }) => verdict !== 'fits')
  return wrong.length === 0
    ? { correct_args: true, correct_args_reason: 'The arguments are what the conversation asks for.' }
    : {
        correct_args: false,
        correct_args_reason: wrong.map(({ item, reason }) => `${item}: ${reason}`).join('; '),
      }
}

/** The answer when the wrong tool was called, or none where one was needed. */
export function wrongTool(why: string): ToolSelection {
  return {
    tool_selection: 'incorrect',
    tool_selection_reason: why,
    correct_args: false,
    correct_args_reason: 'Arguments are right only in a call of the right tool.',
  }
}

/** The answer when no tool was called, as it should be. */
export function noCall(why: string): ToolSelection {
  return { ...rightTool(why), correct_args_reason: 'There is no call whose arguments could be wrong.' }
}

/** The answer when the right tool was called and nothing is wrong with its arguments. */
export function rightTool(why: string): ToolSelection {
  return {
    tool_selection: 'correct',
    tool_selection_reason: why,
    correct_args: true,
    correct_args_reason: 'The arguments are what the conversation asks for.',
  }
}

function materialOf({ tools, before }: Choice) {
  return [
    ...(tools.length > 0 ? [{ label: 'tools', data: JSON.stringify(tools) }] : []),
    { label: 'conversation', data: transcriptOf(before) },
  ]
}
