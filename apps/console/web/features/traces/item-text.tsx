import { Trans } from "@lingui/react";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { ByClient } from "../../parts/by-client.tsx";
import { DeliveryBadge } from "../../parts/delivery-status.tsx";
import { latency } from "../../parts/duration.ts";
import { eventTitle } from "../../parts/event-types.ts";
import { parseLine } from "../../parts/log-line.ts";
import { OutcomeBadge } from "../../parts/outcome-badge.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SeverityBadge } from "../../parts/state-badge.tsx";
import { Who } from "../../parts/who.tsx";
import { RunBadge } from "../activities/run-status.tsx";
import { reasonText } from "./reason-text.ts";
import { RequestStatus } from "./request-status.tsx";
import { requestTitle } from "./request-title.ts";
import { pageMethod, type TraceItem } from "./trace-items.ts";

/** What happened, where, and how it ended, with links to the pages of both. */
export function ItemText({ item }: { readonly item: TraceItem }) {
  switch (item.kind) {
    case "request":
      return <RequestText request={item.of} />;
    case "hook": {
      const { hookName, sourceApp, triggeredBy } = item.of;
      return (
        <What
          title={
            <PageLink {...ofTitle} to="/console/hooks/events" search={{ hook: hookName }}>
              {hookName}
            </PageLink>
          }
        >
          {sourceApp && <Trans id="of <0/>" components={{ 0: <AppLink name={sourceApp} /> }} />}{" "}
          {triggeredBy && <Trans id="by <0/>" components={{ 0: <Who id={triggeredBy} /> }} />}
        </What>
      );
    }
    case "delivery": {
      const { hookName, appName, status, attempt, error } = item.of;
      return (
        <What
          title={
            <PageLink {...ofTitle} to="/console/hooks" search={{ hook: hookName, app: appName }}>
              {hookName}
            </PageLink>
          }
          badge={<DeliveryBadge status={status} />}
        >
          <Trans id="to <0/>" components={{ 0: <AppLink name={appName} /> }} />
          {attempt > 1 && i18n.t(", attempt {attempt}", { attempt })}
          {error && `, ${error.code}: ${error.message}`}
        </What>
      );
    }
    case "run": {
      const { id, activity, appName, status, error } = item.of;
      return (
        <What
          title={
            <PageLink {...ofTitle} to="/console/activities/runs/$id" params={{ id }}>
              {activity}
            </PageLink>
          }
          badge={<RunBadge status={status} />}
        >
          <Trans id="of <0/>" components={{ 0: <AppLink name={appName} /> }} />
          {error && `, ${error.code}: ${error.message}`}
        </What>
      );
    }
    case "event": {
      const { type, severity, appName, message } = item.of;
      const badge = severity === "INFO" ? undefined : <SeverityBadge severity={severity} />;
      return (
        <What
          title={
            <PageLink {...ofTitle} to="/console/events" search={{ app: appName ?? undefined }}>
              {eventTitle(type)}
            </PageLink>
          }
          badge={badge}
        >
          {message}
        </What>
      );
    }
    case "audit": {
      const { actor, client, action, target, outcome } = item.of;
      return (
        <What
          title={
            <PageLink {...ofTitle} to="/console/audit" search={{ target }}>
              {action}
            </PageLink>
          }
          badge={<OutcomeBadge outcome={outcome} />}
        >
          <Trans id="{target} by <0/>" values={{ target }} components={{ 0: <Who id={actor} /> }} />{" "}
          <ByClient client={client} />
        </What>
      );
    }
    case "log":
      return <LineText line={item.of} />;
  }
}

function RequestText({ request }: { readonly request: Extract<TraceItem, { kind: "request" }>["of"] }) {
  const { appName, method, route, status, reason, caller, client, upstreamMs } = request;
  if (method === pageMethod)
    return (
      <What
        title={
          <Text size="sm" fw={600}>
            {route}
          </Text>
        }
      >
        {appName && (
          <Trans id="in the page of <0/> of <1/>" components={{ 0: <AppLink name={appName} />, 1: <Who id={caller} /> }} />
        )}
      </What>
    );
  const badge = <RequestStatus status={status} reason={reason} />;
  const text = requestTitle(request);
  const title = appName ? (
    <PageLink {...ofTitle} to="/console/apps/$name/routes" params={{ name: appName }}>
      {text}
    </PageLink>
  ) : (
    <Text size="sm" fw={600}>
      {text}
    </Text>
  );
  return (
    <What title={title} badge={badge}>
      {appName ? (
        <Trans id="to <0/> by <1/>" components={{ 0: <AppLink name={appName} />, 1: <Who id={caller} /> }} />
      ) : (
        <Trans id="to the platform by <0/>" components={{ 0: <Who id={caller} /> }} />
      )}{" "}
      <ByClient client={client} />
      {reason && `: ${reasonText(reason)}`}
      {typeof upstreamMs === "number" && i18n.t(", {time} in the app", { time: latency(upstreamMs) })}
    </What>
  );
}

function LineText({ line }: { readonly line: Extract<TraceItem, { kind: "log" }>["of"] }) {
  const { message, fields, level } = parseLine(line.text);
  return (
    <>
      <AppLink name={line.appName} />{" "}
      <span className="mono log-text" data-level={level} title={line.text}>
        {message}
      </span>
      {line.isCut && ` ${i18n.t("(cut)")}`}
      {fields && (
        <Text size="sm" c="dimmed" span>
          {` ${fields}`}
        </Text>
      )}
    </>
  );
}

/** How the title of an item looks if it is a link. */
const ofTitle = { size: "sm", fw: 600, underline: "always" } as const;

interface WhatProps {
  /** A link to the page of the item, if it has one. */
  readonly title: ReactNode;
  readonly badge?: ReactNode;
  readonly children: ReactNode;
}

function What({ title, badge, children }: WhatProps) {
  return (
    <>
      <div className="timeline-title">
        {title}
        {badge}
      </div>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </>
  );
}
