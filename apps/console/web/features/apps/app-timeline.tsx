import { Trans } from "@lingui/react";
import { Code, Group, Text, Timeline } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { appPastQuery } from "../../api/app-tab-queries.ts";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Section } from "../../parts/facts.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { words } from "../../parts/words.ts";

/** Of the newest entries: the page has much else. */
export const firstEntries = 5;
const step = 20;
/** The API returns no more. */
const most = 250;

type Past = Awaited<ReturnType<NonNullable<ReturnType<typeof appPastQuery>["queryFn"]>>>;

interface TimelineProps {
  readonly past: UseQueryResult<Past>;
  readonly count: number;
  readonly onMore: (count: number) => void;
}

/** The states of an app with their reasons, newest first. */
export function AppHistory({ past, ...more }: TimelineProps) {
  const entries = past.data?.history;
  return (
    <EntriesOf title={i18n.t("History")} past={past} entries={entries} {...more}>
      {(entries ?? []).map(({ to, reason, actor, at }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two transitions may have the same time and states
        <Timeline.Item key={`${at} ${to} ${index}`} title={words(to)}>
          <Text size="sm" className="wrap">
            {reason}
          </Text>
          <Text size="sm" c="dimmed">
            <Time at={at} />
            {actor && <Trans id=" by <0/>" components={{ 0: <Who id={actor} /> }} />}
          </Text>
        </Timeline.Item>
      ))}
    </EntriesOf>
  );
}

/** The transitions of the app's deployments with their errors, newest first. */
export function DeploymentEvents({ past, ...more }: TimelineProps) {
  const entries = past.data?.deploymentEvents;
  return (
    <EntriesOf title={i18n.t("Events of deployments")} past={past} entries={entries} {...more}>
      {(entries ?? []).map(({ deploymentId, to, error, at }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two transitions may have the same time and states
        <Timeline.Item key={`${at} ${to} ${index}`} title={words(to)}>
          {error && (
            <Text size="sm" className="wrap">
              {error.code}: {error.message}
            </Text>
          )}
          <Text size="sm" c="dimmed" className="wrap">
            <Trans
              id="<0/>, deployment <1/>"
              components={{ 0: <Time at={at} />, 1: <Code>{deploymentId.slice(0, 8)}</Code> }}
            />
          </Text>
        </Timeline.Item>
      ))}
    </EntriesOf>
  );
}

interface EntriesProps extends TimelineProps {
  readonly title: string;
  readonly entries: readonly unknown[] | undefined;
  readonly children: readonly ReactNode[];
}

function EntriesOf({ title, past, entries, count, onMore, children }: EntriesProps) {
  const { error, isFetching, refetch } = past;
  const hasMore = (entries?.length ?? 0) >= count && count < most;
  return (
    <Section title={title}>
      {error && !entries && <Failure error={error} retry={() => void refetch()} />}
      {!entries && !error && <Loading />}
      {entries?.length === 0 && <Text size="sm">{i18n.t("There are none yet.")}</Text>}
      {children.length > 0 && (
        <Timeline active={children.length} bulletSize={14} lineWidth={2}>
          {children}
        </Timeline>
      )}
      {hasMore && (
        <Group justify="center" mt="md">
          <BusyButton
            size="xs"
            variant="default"
            loading={isFetching}
            aria-label={i18n.t("Show more of: {title}", { title })}
            onClick={() => onMore(Math.min(most, count + step))}
          >
            {i18n.t("Show more")}
          </BusyButton>
        </Group>
      )}
    </Section>
  );
}
