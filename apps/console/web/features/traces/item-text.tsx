import { Anchor, Badge, Text } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AppLink } from "../../parts/app-link.tsx";
import { eventTitle } from "../../parts/event-types.ts";
import { OutcomeBadge } from "../../parts/outcome-badge.tsx";
import { SeverityBadge } from "../../parts/state-badge.tsx";
import { RunBadge } from "../activities/run-status.tsx";
import { DeliveryBadge } from "../hooks/delivery-status.tsx";
import { levelOf } from "../logs/levels.ts";
import { readableLine } from "./readable-line.ts";
import type { TraceItem } from "./trace-items.ts";

/** What happened, where, and how it ended, with links to the pages of both. */
export function ItemText({ item }: { readonly item: TraceItem }) {
  switch (item.kind) {
    case "request":
      return <RequestText request={item.of} />;
    case "hook": {
      const { hookName, sourceApp, triggeredBy } = item.of;
      return (
        <What title={hookName} to="/console/hooks/events" search={{ hook: hookName }}>
          {sourceApp && <>of {<AppLink name={sourceApp} />}</>} {triggeredBy && `by ${triggeredBy}`}
        </What>
      );
    }
    case "delivery": {
      const { hookName, appName, status, attempt, error } = item.of;
      return (
        <What
          title={hookName}
          to="/console/hooks"
          search={{ hook: hookName, app: appName }}
          badge={<DeliveryBadge status={status} />}
        >
          to <AppLink name={appName} />
          {attempt > 1 && `, attempt ${attempt}`}
          {error && `, ${error.code}: ${error.message}`}
        </What>
      );
    }
    case "run": {
      const { id, activity, appName, status, error } = item.of;
      return (
        <What title={activity} to="/console/activities/runs/$id" params={{ id }} badge={<RunBadge status={status} />}>
          of <AppLink name={appName} />
          {error && `, ${error.code}: ${error.message}`}
        </What>
      );
    }
    case "event": {
      const { type, severity, appName, message } = item.of;
      const badge = severity === "INFO" ? undefined : <SeverityBadge severity={severity} />;
      return (
        <What title={eventTitle(type)} to="/console/events" search={{ app: appName ?? undefined }} badge={badge}>
          {message}
        </What>
      );
    }
    case "audit": {
      const { actor, action, target, outcome } = item.of;
      return (
        <What title={action} to="/console/audit" search={{ target }} badge={<OutcomeBadge outcome={outcome} />}>
          {target} by {actor}
        </What>
      );
    }
    case "log":
      return <LineText line={item.of} />;
  }
}

function RequestText({ request }: { readonly request: Extract<TraceItem, { kind: "request" }>["of"] }) {
  const { appName, method, route, status, reason, caller, upstreamMs } = request;
  const color = status >= 500 ? "red" : status >= 400 || reason ? "orange" : "green";
  const badge = (
    <Badge variant="dot" color={color} style={{ flexShrink: 0 }}>
      {status}
    </Badge>
  );
  const title = `${method} ${route ?? "(no route)"}`;
  const target: Target = appName ? { to: "/console/apps/$name/routes", params: { name: appName } } : {};
  return (
    <What title={title} {...target} badge={badge}>
      {appName ? <>to {<AppLink name={appName} />}</> : "to the platform"} by {caller}
      {reason && `, ${reason}`}
      {typeof upstreamMs === "number" && `, ${Math.round(upstreamMs * 10) / 10} ms in the app`}
    </What>
  );
}

function LineText({ line }: { readonly line: Extract<TraceItem, { kind: "log" }>["of"] }) {
  const { message, fields } = readableLine(line.text);
  return (
    <>
      <AppLink name={line.appName} />{" "}
      <span className="mono log-text" data-level={levelOf(line.text)} title={line.text}>
        {message}
      </span>
      {line.isCut && " (cut)"}
      {fields && (
        <Text size="sm" c="dimmed" span>
          {` ${fields}`}
        </Text>
      )}
    </>
  );
}

type Target = Pick<LinkProps, "to"> & { readonly params?: object; readonly search?: object };

interface WhatProps extends Target {
  readonly title: string;
  readonly badge?: ReactNode;
  readonly children: ReactNode;
}

function What({ title, badge, to, params, search, children }: WhatProps) {
  return (
    <>
      <div className="timeline-title">
        {to === undefined ? (
          <Text size="sm" fw={600}>
            {title}
          </Text>
        ) : (
          <Anchor
            component={Link}
            to={to}
            params={params as never}
            search={search as never}
            size="sm"
            fw={600}
            underline="always"
          >
            {title}
          </Anchor>
        )}
        {badge}
      </div>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </>
  );
}
