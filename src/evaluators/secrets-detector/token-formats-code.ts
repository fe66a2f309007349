import { hasBase62Checksum } from './token-checks.ts'
import { ALNUM, containing, HEX, prefixed, type TokenFormat, UUID, WORD } from './token-format.ts'

const LIVE_OR_TEST = '(?:live|test|prod)_'

/** Code hosting, package registries, build services and developer tools. */
export const CODE_FORMATS: readonly TokenFormat[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) =>
    prefixed('GitHub', prefix, `${ALNUM}{36}`, { hasChecksum: (token) => hasBase62Checksum(token.slice(4)) }),
  ),
  prefixed('GitHub refresh token', 'ghr_', `${ALNUM}{76}`),
  prefixed('GitHub app, stateless', 'ghs_', `\\d{4,12}_eyJ[A-Za-z0-9_.-]{40,2000}`),
  prefixed('GitHub', 'github_pat_', `${ALNUM}{22}_${ALNUM}{59}`),
  ...[
    'glpat-',
    'gldt-',
    'glft-',
    'glimt-',
    'glrt-',
    'glrtr-',
    'glcbt-',
    'glptt-',
    'glagent-',
    'gloas-',
    'glsoat-',
    'glffct-',
    'glwt-',
  ].map((prefix) => prefixed('GitLab', prefix, gitlabBody(prefix))),
  prefixed('GitLab runner', 'GR1348941', `${WORD}{20,50}`),
  prefixed('Bitbucket', 'ATBB', `${ALNUM}{24}[A-F0-9]{8}`),
  prefixed('Bitbucket', 'ATCTT3xFfGN0', `[A-Za-z0-9+/_=\\\\%-]{80,300}`),
  prefixed('Atlassian', 'ATATT3', `[A-Za-z0-9+/_=\\\\%-]{40,300}`),
  prefixed('Atlassian', 'ATOAT', `[A-Za-z0-9+/_=-]{40,300}`),
  prefixed('Trello', 'ATTA', `${HEX}{64}[0-9A-F]{8}`),
  prefixed('npm', 'npm_', `${ALNUM}{36}`, { hasChecksum: (token) => hasBase62Checksum(token.slice(4)) }),
  prefixed('PyPI', 'pypi-AgEIcHlwaS5vcmc', `${WORD}{70,500}`),
  prefixed('PyPI test', 'pypi-AgENdGVzdC5weXBpLm9yZw', `${WORD}{70,500}`),
  prefixed('RubyGems', 'rubygems_', `${HEX}{48}`),
  prefixed('NuGet', 'oy2', `[a-z0-9]{43}`),
  prefixed('Clojars', 'CLOJARS_', `[a-z0-9]{60}`),
  prefixed('crates.io', 'cio', `${ALNUM}{32}`, { mustLookRandom: true }),
  prefixed('Deno Deploy', 'ddp_', `${ALNUM}{36}`),
  prefixed('Deno Deploy', 'ddo_', `${ALNUM}{36}`),
  prefixed('Packagist', 'packagist_', `(?:ort|uut)_[a-f0-9]{68,80}`),
  prefixed('CircleCI', 'CCIPAT_', `${ALNUM}{22}_${HEX}{40}`),
  prefixed('CircleCI', 'CCIPRJ_', `${ALNUM}{22}_${HEX}{40}`),
  prefixed('Buildkite', 'bkua_', `${HEX}{40}`),
  prefixed('Buildkite', 'bkat_', `${ALNUM}{40,72}`),
  prefixed('SonarQube', 'squ_', `${HEX}{40}`),
  prefixed('SonarQube', 'sqp_', `${HEX}{40}`),
  prefixed('SonarQube', 'sqa_', `${HEX}{40}`),
  prefixed('Sourcegraph', 'sgp_', `(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}`),
  prefixed('Sourcegraph', 'sgd_', `[a-fA-F0-9]{64}`),
  prefixed('Sourcegraph', 'slk_', `[a-fA-F0-9]{64}`),
  prefixed('Postman', 'PMAK-', `${HEX}{24}-${HEX}{34}`),
  prefixed('ReadMe', 'rdme_', `[a-z0-9]{70}`),
  prefixed('Linear', 'lin_api_', `${ALNUM}{40}`),
  prefixed('Linear', 'lin_oauth_', `${HEX}{64}`),
  prefixed('Notion', 'ntn_', `\\d{11}${ALNUM}{35}`),
  prefixed('Notion', 'secret_', `${ALNUM}{43}`, { mustLookRandom: true }),
  prefixed('Airtable', 'pat', `${ALNUM}{14}\\.${HEX}{64}`),
  prefixed('Figma', 'figd_', `${WORD}{38,60}`),
  prefixed('Figma', 'figdr_', `${WORD}{38,60}`),
  prefixed('Asana', '2/', `\\d{16}/\\d{16}:${HEX}{32}`),
  prefixed('Contentful', 'CFPAT-', `${WORD}{43}`),
  prefixed('Typeform', 'tfp_', `[A-Za-z0-9_.=-]{40,64}`),
  prefixed('Frame.io', 'fio-u-', `[A-Za-z0-9_=-]{64}`),
  prefixed('Infracost', 'ico-', `${ALNUM}{32}`),
  prefixed('Snyk', 'snyk_', `(?:uat|sat)\\.${HEX}{8}\\.[A-Za-z0-9_.-]{40,400}`),
  prefixed('WakaTime', 'waka_', UUID),
  prefixed('Rootly', 'rootly_', `${HEX}{64}`),
  prefixed('Percy', 'web_', `${HEX}{64}`),
  prefixed('Chromatic', 'chpt_', `${HEX}{14,20}`),
  prefixed('Trigger.dev', 'tr_', `(?:dev|prod|stg|preview)_${ALNUM}{20,32}`),
  prefixed('Inngest', 'signkey-', `(?:prod|test|branch)-${HEX}{32,64}`),
  prefixed('Dependency-Track', 'odt_', `${ALNUM}{32,44}`),
  prefixed('Plane', 'plane_api_', `${HEX}{32}`),
  prefixed('PostHog', 'phc_', `${ALNUM}{40,44}`),
  prefixed('PostHog', 'phx_', `${ALNUM}{40,64}`),
  prefixed('PostHog', 'pha_', `${ALNUM}{40,64}`),
  prefixed('PostHog', 'phs_', `${ALNUM}{40,64}`),
  prefixed('PostHog', 'phr_', `${ALNUM}{40,64}`),
  prefixed('Segment', 'sgp_', `${ALNUM}{64}`),
  prefixed('Intra 42', 's-s4t2', `(?:ud|af)-${HEX}{64}`),
  prefixed('Scalingo', 'tk-us-', `${WORD}{48}`),
  prefixed('SettleMint', 'sm_', `(?:aat|pat|sat)_${ALNUM}{16}`),
  prefixed('Duffel', 'duffel_', `${LIVE_OR_TEST}[A-Za-z0-9_=-]{43}`),
  prefixed('Browserbase', 'bb_', `${LIVE_OR_TEST}${WORD}{27}`),
  prefixed('E2B', 'e2b_', `${HEX}{40}`),
  prefixed('Daytona', 'dtn_', `${HEX}{64}`),
  prefixed('Hugging Face', 'hf_', `[A-Za-z]{34}`),
  prefixed('Hugging Face', 'api_org_', `[A-Za-z]{34}`),
  prefixed('Kaggle', 'KGAT_', `${HEX}{32}`),
  containing('MaxMind', '_mmk', [36], `${ALNUM}{6}_${ALNUM}{29}_mmk`),
]

/** Each kind of GitLab token has lengths of its own; since version 17.11 routable tokens are longer and have dots. */
function gitlabBody(prefix: string): string {
  const routable = '[A-Za-z0-9_-]{27,300}\\.[0-9a-z]{2}\\.?[0-9a-z]{7}'
  switch (prefix) {
    case 'glptt-':
      return `(?:${HEX}{40}|${WORD}{40})`
    case 'glimt-':
      return `${WORD}{25}`
    case 'glagent-':
      return `${WORD}{50,1024}`
    case 'gloas-':
      return `${WORD}{64}`
    case 'glcbt-':
      return `(?:[0-9a-zA-Z]{1,5}_)?${WORD}{20,64}`
    case 'glrt-':
      return `(?:t\\d_)?(?:${routable}|${WORD}{20,50})`
    default:
      return `(?:${routable}|${WORD}{20,50})`
  }
}
