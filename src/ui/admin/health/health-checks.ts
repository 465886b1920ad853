import type { DeploymentState, Finding } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { FindingDetails, FindingTexts } from '../../i18n/messages/findings.ts'
import type { Translator } from '../../i18n/translator.ts'
import { translateDetails } from './translate-details.ts'

/** Subject of a check, in the page’s order. */
export const CHECK_GROUPS = ['server', 'database', 'files', 'push', 'webhooks', 'accounts'] as const
export type CheckGroup = (typeof CHECK_GROUPS)[number]

/** A check of the deployment: of its live state, or one of doctor's. */
export type HealthCheck = {
  key: string
  group: CheckGroup
  status: Finding['status']
  name: string
  /** Doctor's name of the check. */
  id?: string
  /** Checks of several gateways that found the same. */
  gateways?: Pick<HealthCheck, 'key' | 'id' | 'name'>[]
  /** Advice about it. */
  advice?: string
  /** Command that the advice mentions. */
  command?: string
  detail: string
  /** Webhooks that the detail names. */
  receivers?: Finding['receivers']
  /** Page on which administrators can act. */
  page?: ProblemPage
}

type ProblemPage = { href: string; label: PlainMessageKey }

export type CheckTexts = { t: Translator; texts: FindingTexts; details: FindingDetails }

const GROUP_OF: [prefix: string, group: CheckGroup][] = [
  ['database', 'database'],
  ['store', 'files'],
  ['storage', 'files'],
  ['files', 'files'],
  ['gateways', 'push'],
  ['apns', 'push'],
  ['fcm', 'push'],
  ['web-push', 'push'],
  ['webhooks', 'webhooks'],
  ['issuer', 'accounts'],
  ['smtp', 'accounts'],
]

const WEBHOOKS_PAGE: ProblemPage = { href: '/admin/webhooks', label: 'admin.health.openWebhooks' }
const BROADCASTS_PAGE: ProblemPage = { href: '/admin/broadcasts', label: 'admin.health.openBroadcasts' }
const USERS_BY_STORAGE: ProblemPage = { href: '/admin/users?sort=storage', label: 'admin.health.openUsers' }

/** By doctor's name of a check. All others are about variables and machines, which no page can change. */
const PAGES: Partial<Record<string, ProblemPage>> = {
  webhooks: WEBHOOKS_PAGE,
  'storage-ceiling': USERS_BY_STORAGE,
}

const GATEWAYS: Record<
  DeploymentState['gateways'][number]['platform'],
  { check: string; advice: string; label: PlainMessageKey }
> = {
  ios: { check: 'apns', advice: 'apns-production', label: 'admin.health.apns' },
  android: { check: 'fcm', advice: 'fcm', label: 'admin.health.fcm' },
  web: { check: 'webPush', advice: 'gateways', label: 'admin.health.webPush' },
}

/** Returns doctor's findings as checks. Their details are translated where possible. */
export function findingChecks(findings: Finding[], { t, texts, details }: CheckTexts): HealthCheck[] {
  return findings.map(({ check, status, message, receivers }, index) => {
    // Checks of an app begin with its name: shop/fcm.
    const [name = check, app] = check.split('/').reverse()
    const text = texts[name]
    const translated = translateDetails(details, message)
    return {
      key: `${index} ${check}`,
      group: GROUP_OF.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'server',
      status,
      name: text ? nameOf(text.name, app) : check,
      id: check,
      advice: text?.advice,
      command: text?.command,
      // Without a translation, it is a name or, if the check failed, the error of a library.
      detail: asSentence(
        translated ?? (status === 'ok' ? message : t('admin.health.error', { message })),
        status !== 'ok',
      ),
      receivers,
      page: PAGES[name],
    }
  })
}

const nameOf = (check: string, app: string | undefined): string => (app ? `${check} · ${app}` : check)

/**
 * Capitalizes a text of several words, and can end it with a full stop. Names stay as they are, and so do commands and
 * addresses at the end.
 */
const asSentence = (text: string, withStop: boolean): string =>
  text
    .replace(/^\p{Ll}+ /u, (word) => word[0]!.toUpperCase() + word.slice(1))
    .replace(/ [\p{L}\p{N}_()“”"…]+$/u, (word) => (withStop ? `${word}.` : word))

/** Returns the live state of the replica and of what it depends on as checks. */
export function stateChecks(state: DeploymentState, { t, texts }: CheckTexts): HealthCheck[] {
  const { status, checks, gateways, webhooks } = state
  const responds = (group: CheckGroup, label: PlainMessageKey, check: string, advice: string): HealthCheck =>
    checks[check] === 'failed'
      ? {
          key: check,
          group,
          status: 'FAIL',
          name: t(label),
          advice: texts[advice]?.advice,
          detail: t('admin.health.failed'),
        }
      : { key: check, group, status: 'ok', name: t(label), detail: t('admin.health.responds') }
  return [
    ...(status === 'draining'
      ? [
          {
            key: 'draining',
            group: 'server' as const,
            status: 'warn' as const,
            name: t('admin.health.replica'),
            advice: t('admin.health.drainingAdvice'),
            detail: t('admin.health.draining'),
          },
        ]
      : []),
    responds('database', 'admin.health.database', 'database', 'database-connection'),
    responds('files', 'admin.health.store', 'objectStore', 'store-bucket'),
    ...gateways
      .filter(({ configured }) => configured)
      .map(({ app, platform, openCircuitBreakers }): HealthCheck => {
        const { check, advice, label } = GATEWAYS[platform]
        const isDefault = app === 'default'
        const reachable = responds('push', label, isDefault ? check : `${app}/${check}`, advice)
        const named = { ...reachable, name: nameOf(reachable.name, isDefault ? undefined : app) }
        if (openCircuitBreakers.length === 0) return named
        return {
          ...named,
          status: 'FAIL',
          advice: t('admin.health.circuitBreakerAdvice'),
          detail: t('admin.health.circuitBreaker', { upstreams: openCircuitBreakers.join(', ') }),
          page: BROADCASTS_PAGE,
        }
      }),
    {
      key: 'failing webhooks',
      group: 'webhooks',
      status: webhooks.failing > 0 ? 'warn' : 'ok',
      name: t('admin.webhooks.title'),
      advice: texts.webhooks?.advice,
      detail: asSentence(
        t('admin.health.webhooksFailing', { count: webhooks.failing }),
        webhooks.failing > 0,
      ),
      page: WEBHOOKS_PAGE,
    },
  ]
}

const RANK: Record<HealthCheck['status'], number> = { FAIL: 0, warn: 1, ok: 2 }

/** Doctor's check of the same thing, by the key of a check of the live state. All others have their key as its ID. */
const DETAILED_BY: Record<string, string> = {
  database: 'database-connection',
  objectStore: 'store-bucket',
  'failing webhooks': 'webhooks',
}

/** Leaves out a check of the live state if doctor checks the same thing, or doctor's check if the live state is worse. */
function withoutRepeats(checks: HealthCheck[]): HealthCheck[] {
  const repeats = new Set<HealthCheck>()
  for (const check of checks) {
    const detailed =
      check.id === undefined && checks.find(({ id }) => id === (DETAILED_BY[check.key] ?? check.key))
    if (detailed) repeats.add(RANK[check.status] < RANK[detailed.status] ? detailed : check)
  }
  return checks.filter((check) => !repeats.has(check))
}

/** Returns the part of a gateway’s check that is not about responses: its clock or its subject. */
const kindOf = ({ id, key }: HealthCheck): string => /-(clock|subject)$/.exec(id ?? key)?.[1] ?? ''

/** Returns the names of checks without their variants and apps, each once: "APNs (iOS), FCM (Android)". */
const commonName = (checks: HealthCheck[]): string =>
  [...new Set(checks.map(({ name }) => name.split(/, | · /)[0]))].join(', ')

/**
 * Returns the problems with one check for all gateways that have the same problem. Its advice is theirs if it is the
 * same for all.
 */
function withOneOfGateways(problems: HealthCheck[], { t }: CheckTexts): HealthCheck[] {
  const alike = new Map<string, HealthCheck[]>()
  for (const problem of problems) {
    const { key, group, status, detail } = problem
    const same = group === 'push' ? `${kindOf(problem)} ${status} ${detail}` : key
    alike.set(same, [...(alike.get(same) ?? []), problem])
  }
  return [...alike.values()].map((checks) => {
    const [first, ...others] = checks
    if (others.length === 0) return first!
    const isSameAdvice = others.every(({ advice }) => advice === first!.advice)
    return {
      ...first!,
      name: commonName(checks),
      id: undefined,
      gateways: checks.map(({ key, id, name }) => ({ key, id, name })),
      advice: isSameAdvice ? first!.advice : t('admin.health.gatewaysAdvice'),
    }
  })
}

/** Returns the checks to act on, the worst first. */
export function problemsOf(checks: HealthCheck[], texts: CheckTexts): HealthCheck[] {
  const problems = withoutRepeats(checks).filter(({ status }) => status !== 'ok')
  return withOneOfGateways(problems, texts).sort((a, b) => RANK[a.status] - RANK[b.status])
}

export type CheckedGroup = {
  group: CheckGroup
  /** The worst status of its checks. */
  status: HealthCheck['status']
  /** The worst first. */
  checks: HealthCheck[]
}

/** Returns all checks by subject. */
export function groupsOf(checks: HealthCheck[]): CheckedGroup[] {
  const all = withoutRepeats(checks).sort((a, b) => RANK[a.status] - RANK[b.status])
  return CHECK_GROUPS.flatMap((group) => {
    const found = all.filter((check) => check.group === group)
    return found.length === 0 ? [] : [{ group, status: found[0]!.status, checks: found }]
  })
}

/** Returns the failed checks and the warnings in words, such as "2 problems, 1 warning". */
export function countProblems(checks: Pick<HealthCheck, 'status' | 'gateways'>[], t: Translator): string[] {
  const count = (wanted: HealthCheck['status']) =>
    checks.reduce((sum, { status, gateways }) => sum + (status === wanted ? (gateways?.length ?? 1) : 0), 0)
  const [failed, warnings] = [count('FAIL'), count('warn')]
  return [
    ...(failed > 0 ? [t('admin.health.problems', { count: failed })] : []),
    ...(warnings > 0 ? [t('admin.health.warnings', { count: warnings })] : []),
  ]
}

/** Returns the overall state in words. `isFull`: all checks have run, not only those that write nothing. */
export function summaryOf(problems: HealthCheck[], isFull: boolean, t: Translator): string {
  if (problems.length > 0) return countProblems(problems, t).join(', ')
  return t(isFull ? 'admin.health.allPassed' : 'admin.health.nothingFound')
}
