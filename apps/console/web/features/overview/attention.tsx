import { Group, List, Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { type AccessRequest, openRequestsQuery } from "../../api/access-requests.ts";
import { checkTitle } from "../../api/check-titles.ts";
import { useViewer } from "../../api/viewer.ts";
import type { IncidentKind, RunStatus } from "../../generated/operations.ts";
import { i18n, locale } from "../../i18n.ts";
import { AccessDecisionButtons, requestText } from "../../parts/access-decision.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { words } from "../../parts/words.ts";
import { deadLetterText } from "../hooks/hook-queries.ts";
import {
  attentionQuery,
  type DependencyStatus,
  type ExpiringApp,
  type FailingApp,
  type FaultyApp,
  healthQuery,
  type OpenIncident,
  type WaitingApp,
} from "./attention-queries.ts";

/** A matter that a person should look at, with the page that resolves it. */
interface Matter {
  readonly key: string;
  readonly kind: string;
  readonly isFailure: boolean;
  readonly text: string;
  readonly detail?: string | undefined;
  readonly link?: AsLink;
  /** What resolves it here. */
  readonly action?: ReactElement;
}

type AsLink = (text: string) => ReactElement;

/** How a text that leads to a page looks. */
const asLink = { underline: "always", className: "wrap" } as const;

/** Of each kind. The rest is counted. */
const maxShown = 5;

interface AttentionProps {
  readonly title?: string;
  /** Shows nothing at all if nothing needs attention. */
  readonly isSilent?: boolean;
}

/** What needs attention, as far as the viewer may see it, and that nothing does. */
export function Attention({ title = i18n.t("What needs attention"), isSilent = false }: AttentionProps) {
  const { matters, error, isPending } = useMatters();
  if (isSilent && matters.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {error && <Failure error={error} />}
      {isPending && !error && <Loading />}
      {!isPending && matters.length === 0 && !error && (
        <Text role="status" c="dimmed">
          {i18n.t("Nothing needs attention.")}
        </Text>
      )}
      {matters.length > 0 && (
        <Paper withBorder p="md">
          <List listStyleType="none" spacing="sm" styles={{ itemWrapper: { width: "100%" }, itemLabel: { width: "100%" } }}>
            {matters.map((matter) => (
              <List.Item key={matter.key}>
                <Line matter={matter} />
              </List.Item>
            ))}
          </List>
        </Paper>
      )}
    </section>
  );
}

function Line({ matter: { kind, isFailure, text, detail, link, action } }: { readonly matter: Matter }) {
  return (
    <Group gap="xs" align="flex-start" wrap="wrap">
      <Text size="sm" className="attention-kind" data-tone={isFailure ? "bad" : "warning"}>
        {words(kind)}
      </Text>
      <div className="attention">
        {link ? link(text) : <Text>{text}</Text>}
        {detail && (
          <Text size="sm" c="dimmed" lineClamp={2} className="wrap">
            {detail}
          </Text>
        )}
      </div>
      {action}
    </Group>
  );
}

const none = { apps: [], totalCount: 0 };

function useMatters() {
  const { permissions } = useViewer();
  const sees = (permission: string): boolean => permissions.includes(permission);
  const seen = {
    seesApps: sees("app:view"),
    seesHooks: sees("hook:view"),
    seesRuns: sees("activity:view"),
    seesEvents: sees("event:view"),
  };
  const health = useQuery(healthQuery);
  const found = useQuery(attentionQuery(seen));
  const asked = useQuery({ ...openRequestsQuery, enabled: sees("access:view") });
  const { incidents = [], failing = none, approvals = none, conditions = none, certificates = none } = found.data ?? {};
  const { dead, failedRuns = [] } = found.data ?? {};
  const queries = [health, found, asked];
  const matters = [
    ...incidents.filter((incident) => !isShownBelow(incident, failing.apps)).map(incidentLasts),
    ...(health.data?.checks ?? []).filter(({ status }) => status !== "up").map(checkDown),
    ...firstOf(failing.apps.map(appFailed), failing.totalCount, { kind: i18n.t("failed app"), link: toFailed }),
    ...firstOf((asked.data?.requests ?? []).map(accessAsked), asked.data?.totalCount ?? 0, {
      kind: i18n.t("access"),
      link: toRequests,
    }),
    ...(dead && dead.count > 0 ? [deadLetters(deadLetterText(dead))] : []),
    ...failedRuns.filter(({ count }) => count > 0).map(runsFailed),
    ...firstOf(approvals.apps.map(approvalWaiting), approvals.totalCount, { kind: i18n.t("approval"), link: toApps }),
    ...faults(conditions, sees("settings:read")),
    ...firstOf(certificates.apps.map(certificateExpiring), certificates.totalCount, {
      kind: i18n.t("certificate"),
      link: toApps,
    }),
  ];
  return {
    matters,
    error: queries.find(({ error }) => error)?.error,
    // A query that may not be asked has no data, and is not awaited.
    isPending: queries.some(({ isLoading }) => isLoading),
  };
}

const toApps: AsLink = (text) => (
  <PageLink {...asLink} to="/console/apps">
    {text}
  </PageLink>
);

const toFailed: AsLink = (text) => (
  <PageLink {...asLink} to="/console/apps" search={{ state: "FAILED" }}>
    {text}
  </PageLink>
);

const toRequests: AsLink = (text) => (
  <PageLink {...asLink} to="/console/access/requests">
    {text}
  </PageLink>
);

function accessAsked(request: AccessRequest): Matter {
  return {
    key: `access ${request.id}`,
    kind: i18n.t("access"),
    isFailure: false,
    text: requestText(request),
    detail: request.reason ?? undefined,
    link: toRequests,
    action: <AccessDecisionButtons request={request} />,
  };
}

function toApp(name: string): AsLink {
  return (text) => (
    <PageLink {...asLink} to="/console/apps/$name" params={{ name }}>
      {text}
    </PageLink>
  );
}

function toSettings(name: string): AsLink {
  return (text) => (
    <PageLink {...asLink} to="/console/apps/$name/settings" params={{ name }}>
      {text}
    </PageLink>
  );
}

const incidentKinds: Readonly<Record<IncidentKind, string>> = {
  APP_DOWN: i18n.t("app down"),
  BACKUP_FAILED: i18n.t("backup"),
  CERTIFICATE_EXPIRES: i18n.t("certificate"),
  DATABASE_FULL: i18n.t("database"),
  DEAD_LETTERS: i18n.t("undelivered events"),
  DISK_FULL: i18n.t("disk"),
  UPGRADE_ROLLED_BACK: i18n.t("upgrade"),
};

const toBackups: AsLink = (text) => <PageLink to="/console/backups">{text}</PageLink>;

/** Failed apps, and dead letters of apps, have lines of their own. */
function isShownBelow({ kind, appName }: OpenIncident, failing: readonly FailingApp[] = []): boolean {
  if (kind === "APP_DOWN") return failing.some(({ name }) => name === appName);
  return kind === "DEAD_LETTERS" && appName != null;
}

function incidentLasts({ id, kind, message, appName, openedAt }: OpenIncident): Matter {
  return {
    key: `incident ${id}`,
    kind: incidentKinds[kind],
    isFailure: true,
    text: message,
    detail: i18n.t("since {time}", { time: new Date(openedAt).toLocaleString(locale) }),
    ...(appName && { link: toApp(appName) }),
    ...(kind === "BACKUP_FAILED" && { link: toBackups }),
  };
}

function checkDown({ name, message }: DependencyStatus): Matter {
  return {
    key: `check ${name}`,
    kind: i18n.t("down"),
    isFailure: true,
    text: i18n.t("{name} does not respond", { name: checkTitle(name) }),
    detail: message ?? undefined,
  };
}

function appFailed({ name, displayName, state, lastError }: FailingApp): Matter {
  return {
    key: `state ${name}`,
    kind: state === "FAILED" ? i18n.t("failed app") : i18n.t("unhealthy app"),
    isFailure: state === "FAILED",
    text:
      state === "FAILED"
        ? i18n.t("{displayName} has failed", { displayName })
        : i18n.t("{displayName} is unhealthy", { displayName }),
    detail: lastError?.message,
    link: toApp(name),
  };
}

function deadLetters(text: string): Matter {
  return {
    key: "dead letters",
    kind: i18n.t("hooks"),
    isFailure: true,
    text,
    detail: i18n.t("Deliveries of hooks that were given up. They can be sent again."),
    link: (text) => (
      <PageLink {...asLink} to="/console/hooks" search={{ status: "DEAD" }}>
        {text}
      </PageLink>
    ),
  };
}

/** Says how runs ended. `shown` is their number as a text: "20+" if there are more. */
function endingOf(status: RunStatus, count: number, shown: string): string {
  const values = { count, shown };
  switch (status) {
    case "TIMED_OUT":
      return i18n.t("{count, plural, one {{shown} run} other {{shown} runs}} took too long in the last 24 hours", values);
    case "CRASHED":
      return i18n.t("{count, plural, one {{shown} run} other {{shown} runs}} crashed in the last 24 hours", values);
    case "EXPIRED":
      return i18n.t(
        "{count, plural, one {{shown} run was} other {{shown} runs were}} not started by any worker in the last 24 hours",
        values,
      );
    default:
      return i18n.t("{count, plural, one {{shown} run} other {{shown} runs}} failed in the last 24 hours", values);
  }
}

interface RunCount {
  readonly status: RunStatus;
  readonly count: number;
  readonly isMore: boolean;
}

function runsFailed({ status, count, isMore }: RunCount): Matter {
  return {
    key: `runs ${status}`,
    kind: i18n.t("activities"),
    isFailure: true,
    text: endingOf(status, count, isMore ? `${count}+` : String(count)),
    link: (text) => (
      <PageLink {...asLink} to="/console/activities" search={{ status }}>
        {text}
      </PageLink>
    ),
  };
}

function approvalWaiting({ name, displayName, requiredPermissions }: WaitingApp): Matter {
  const count = requiredPermissions.filter(({ requiresApproval, approved }) => requiresApproval && !approved).length;
  return {
    key: `approval ${name}`,
    kind: i18n.t("approval"),
    isFailure: false,
    text: i18n.t("{displayName} waits for the approval of {count, plural, one {# permission} other {# permissions}}", {
      displayName,
      count,
    }),
    link: (text) => (
      <PageLink {...asLink} to="/console/apps/$name/permissions" params={{ name }}>
        {text}
      </PageLink>
    ),
  };
}

function certificateExpiring({ name, displayName, certificateExpiresAt }: ExpiringApp): Matter {
  const at = new Date(certificateExpiresAt ?? "");
  const isOver = at.getTime() < Date.now();
  return {
    key: `certificate ${name}`,
    kind: i18n.t("certificate"),
    isFailure: isOver,
    text: isOver
      ? i18n.t("The certificate of {displayName} has expired", { displayName })
      : i18n.t("The certificate of {displayName} expires on {day}", { displayName, day: at.toLocaleDateString(locale) }),
    detail: i18n.t("The app cannot sign requests and register versions with it. Replace it by appctl replace-key."),
    link: toApp(name),
  };
}

const settingsProblems: Readonly<Record<string, (displayName: string) => string>> = {
  SettingsComplete: (displayName) => i18n.t("{displayName} lacks settings that it requires", { displayName }),
  SettingsValid: (displayName) => i18n.t("{displayName} has stored settings that are not valid", { displayName }),
  SettingsReadable: (displayName) => i18n.t("{displayName} has secrets that cannot be decrypted", { displayName }),
};

/** The conditions of the first apps that have one, and how many apps there are besides. */
function faults(
  found: { readonly apps: readonly FaultyApp[]; readonly totalCount: number },
  hasTab: boolean,
): readonly Matter[] {
  const matters = found.apps.flatMap((app) => conditionsOf(app, hasTab));
  const others = found.totalCount - found.apps.length;
  return firstOf(matters, matters.length + others, { kind: i18n.t("settings"), link: toApps }, matters.length);
}

function conditionsOf({ name, displayName, conditions }: FaultyApp, hasTab: boolean): readonly Matter[] {
  return conditions
    .filter(({ status }) => status === "False")
    .map(({ type, message }) => ({
      key: `${type} ${name}`,
      kind: type in settingsProblems ? i18n.t("settings") : i18n.t("condition"),
      isFailure: false,
      text: settingsProblems[type]?.(displayName) ?? i18n.t("{displayName} reports a problem", { displayName }),
      detail: message,
      link: hasTab && type in settingsProblems ? toSettings(name) : toApp(name),
    }));
}

type Rest = Required<Pick<Matter, "kind" | "link">>;

/** Returns the first of a kind, and a line that counts the others. */
function firstOf(matters: readonly Matter[], count: number, { kind, link }: Rest, most = maxShown): readonly Matter[] {
  const shown = matters.slice(0, most);
  const others = count - shown.length;
  if (others <= 0) return shown;
  const text = i18n.t("{others} more of this kind", { others });
  return [...shown, { key: `more ${kind}`, kind, isFailure: shown[0]?.isFailure ?? false, text, link }];
}
