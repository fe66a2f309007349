import type { Answer, ChatMessage } from './model-server.ts'

/** One of the applications that the demo plays: what it asks its model, and how that model tends to answer. */
export interface DemoApp {
  /** Its `service.name`. */
  readonly service: string
  readonly model: string
  readonly system: string
  readonly questions: readonly string[]
}

/** A support bot, an extractor that must answer in JSON, and an assistant that writes SQL. */
export const DEMO_APPS: readonly DemoApp[] = [
  {
    service: 'support-bot',
    model: 'gpt-4o',
    system:
      'You are the support assistant of a bicycle shop. Always name the ticket, for example TICKET-1234.',
    questions: [
      'My order has not arrived after ten days. What should I do?',
      'The gears of my new bike keep slipping on hills.',
      'Can I return a helmet that I have worn once?',
      'Do you deliver to Norway, and what does it cost?',
      'The app does not accept my password any more.',
      'Which lock do you recommend for a cargo bike?',
      'I was charged twice for the same pair of tyres.',
      'How long is the warranty on the battery of an e-bike?',
    ],
  },
  {
    service: 'order-extractor',
    model: 'gpt-4o-mini',
    system: 'Extract the order as JSON with the fields "item", "quantity" and "city". Answer with JSON only.',
    questions: [
      'Please send three blue helmets to our shop in Bergen.',
      'We need 12 inner tubes in Utrecht by Friday.',
      'One child seat for Lyon, thank you!',
      'Two sets of winter tyres, to be delivered to Graz.',
      'I would like to have 5 bells shipped to Porto.',
    ],
  },
  {
    service: 'sql-assistant',
    model: 'gpt-4o',
    system: 'You translate questions about the tables orders(id, city, total, placed_at) into one SQL query.',
    questions: [
      'What did we sell in Oslo last month?',
      'Which five cities bring the most revenue?',
      'How many orders are larger than 500 euros?',
      'Show the average order by city.',
    ],
  },
]

const HELP = [
  'I am sorry for the trouble. I have looked it up and a colleague will get back to you within a day.',
  'That is easily solved: turn the barrel adjuster half a turn and try again on a flat road first.',
  'Yes, within thirty days, as long as there are no marks on it. Please keep the box.',
  'Delivery takes four to six days and costs nine euros; above one hundred euros it is free.',
  'Please reset it with the link below the form. It is valid for an hour.',
]
const ITEMS = ['helmet', 'inner tube', 'child seat', 'winter tyre', 'bell']
const CITIES = ['Bergen', 'Utrecht', 'Lyon', 'Graz', 'Porto']
const QUERIES = [
  "SELECT sum(total) FROM orders WHERE city = 'Oslo' AND placed_at >= now() - interval '1 month';",
  'SELECT city, sum(total) AS revenue FROM orders GROUP BY city ORDER BY revenue DESC LIMIT 5;',
  'SELECT count(*) FROM orders WHERE total > 500;',
  'SELECT city, avg(total) FROM orders GROUP BY city;',
]

/** Answers like the models of such applications do: mostly as asked, now and then not. */
export const answerLikeAModel: Answer = (messages, random) => {
  const service = DEMO_APPS.find(({ system }) => system === messages[0]?.content)?.service
  const pick = (texts: readonly string[]) => texts[Math.floor(random() * texts.length)] as string
  switch (service) {
    case 'order-extractor': {
      const order = JSON.stringify({
        item: pick(ITEMS),
        quantity: 1 + Math.floor(random() * 12),
        city: pick(CITIES),
      })
      if (random() < 0.1) return `Sure! Here is the JSON:\n\`\`\`json\n${order}\n\`\`\``
      return random() < 0.05 ? order.slice(0, -4) : order
    }
    case 'sql-assistant':
      return random() < 0.15 ? pick(QUERIES).replace('FROM orders', 'FORM orders') : pick(QUERIES)
    default: {
      const ticket = random() < 0.8 ? ` Your reference is TICKET-${1000 + Math.floor(random() * 9000)}.` : ''
      return pick(HELP) + ticket
    }
  }
}

/** The messages that an application sends for one of its questions. */
export function messagesFor({ system, questions }: DemoApp, at: number): ChatMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: questions[at % questions.length] as string },
  ]
}
