/** The subjects of the showcase's other applications: research, meetings, and questions about a database. */

/** A task of the research agent: which pages it reads and what it finds out. */
export interface ResearchTask {
  readonly task: string
  readonly query: string
  readonly page: string
  readonly finding: string
  readonly answer: string
}

export const RESEARCH_TASKS: readonly ResearchTask[] = [
  {
    task: 'Find out how many bicycles were sold in the Netherlands last year and what share had a motor.',
    query: 'bicycle sales Netherlands share of e-bikes',
    page: 'https://example.org/market/netherlands',
    finding: 'Sales of new bicycles reached 840,000; 57 percent of them had a motor.',
    answer:
      'Sales of new bicycles in the Netherlands reached 840,000 last year; 57 percent of them had a motor.',
  },
  {
    task: 'Compare the three largest makers of bicycle gears by revenue.',
    query: 'largest bicycle component makers revenue',
    page: 'https://example.org/market/components',
    finding: 'The three largest makers had revenues of 3.0, 1.1 and 0.4 billion euros.',
    answer: 'The three largest makers of gears had revenues of 3.0, 1.1 and 0.4 billion euros.',
  },
  {
    task: 'Summarise the new rules for cargo bikes in Germany.',
    query: 'cargo bike regulation Germany',
    page: 'https://example.org/law/cargo-bikes',
    finding:
      'Cargo bikes above 1 metre in width may no longer use cycle paths; parking is allowed in marked bays.',
    answer:
      'Under the new rules for cargo bikes in Germany, those wider than 1 metre may no longer use cycle paths, and parking is allowed in marked bays.',
  },
  {
    task: 'Which cities in Europe pay subsidies for e-bikes, and how much?',
    query: 'e-bike subsidy cities Europe',
    page: 'https://example.org/cities/subsidies',
    finding: 'Paris pays up to 400 euros, Oslo up to 430 and Graz up to 300.',
    answer:
      'Among the cities that pay subsidies for e-bikes are Paris (up to 400 euros), Oslo (430) and Graz (300).',
  },
  {
    task: 'Check whether our competitor has changed the price of its city bike this month.',
    query: 'competitor city bike price',
    page: 'https://example.org/shops/city-bike',
    finding: 'The city bike costs 899 euros; the price was 949 euros until the 1st.',
    answer: 'Yes: the competitor lowered the price of its city bike from 949 to 899 euros on the 1st.',
  },
]

/** A meeting whose transcript is summed up. */
export interface Meeting {
  readonly transcript: string
  readonly summary: string
  readonly items: readonly string[]
}

export const MEETINGS: readonly Meeting[] = [
  {
    transcript:
      'Mara: The winter tyres are late again. Jonas: I will call the supplier today. Mara: And tell support, please. Jonas: Will do.',
    summary: 'The winter tyres are late; the supplier is called and support is told.',
    items: ['Jonas calls the supplier today', 'Jonas tells support'],
  },
  {
    transcript:
      'Ines: The new checkout loses one in ten customers at the address form. Tom: I can test a shorter one this week. Ines: Good, report on Friday.',
    summary: 'The address form of the new checkout loses customers; a shorter one is tested.',
    items: ['Tom tests a shorter form this week', 'Tom reports on Friday'],
  },
  {
    transcript:
      'Lea: We have two offers for the warehouse in Graz. Omar: The second one is cheaper and nearer to the station. Lea: Then we take that.',
    summary: 'The second offer for the warehouse in Graz is taken because it is cheaper and nearer.',
    items: ['Lea accepts the second offer'],
  },
  {
    transcript:
      'Priya: Three returns this week because of loose saddles. Ben: I will look at the torque at the last station. Priya: Please stop shipping until then.',
    summary: 'Loose saddles caused three returns; shipping stops until the torque has been checked.',
    items: ['Ben checks the torque at the last station', 'Shipping stops until then'],
  },
]

/** A question about the shop's tables and the query that answers it. */
export const SQL_QUESTIONS: readonly { readonly question: string; readonly query: string }[] = [
  {
    question: 'What did we sell in Oslo last month?',
    query: "SELECT sum(total) FROM orders WHERE city = 'Oslo' AND placed_at >= now() - interval '1 month';",
  },
  {
    question: 'Which five cities bring the most revenue?',
    query: 'SELECT city, sum(total) AS revenue FROM orders GROUP BY city ORDER BY revenue DESC LIMIT 5;',
  },
  {
    question: 'How many orders are larger than 500 euros?',
    query: 'SELECT count(*) FROM orders WHERE total > 500;',
  },
  {
    question: 'Show the average order by city.',
    query: 'SELECT city, avg(total) FROM orders GROUP BY city;',
  },
  {
    question: 'Which customers have ordered more than ten times this year?',
    query:
      "SELECT customer_id FROM orders WHERE placed_at >= date_trunc('year', now()) GROUP BY customer_id HAVING count(*) > 10;",
  },
]
