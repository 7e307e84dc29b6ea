import { Trans } from "@lingui/react";
import { Select, Switch, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n, locale } from "../../i18n.ts";
import { Command } from "../../parts/command.tsx";
import { duration } from "../../parts/duration.ts";
import { AppFilter, SubjectFilter } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import type { RequestFilter } from "./request-filter.ts";
import { type RequestRow, requestsQuery } from "./request-queries.ts";
import { RequestTable } from "./request-table.tsx";
import { TraceSearch } from "./trace-search.tsx";

const route = getRouteApi("/shell/console/trace");

/** The requests of the last hour. Each leads to its trace. */
export function Requests() {
  usePageTitle(i18n.t("Traces"));
  return (
    <Needs permission="trace:view">
      <TraceSearch id="" />
      <Text c="dimmed" mb="md">
        {i18n.t("Requests of the last hour, newest first. Each leads to everything that it caused, in all apps.")}
      </Text>
      <RequestList />
    </Needs>
  );
}

function RequestList() {
  const filter: RequestFilter = route.useSearch();
  const [isLive, setLive] = useState(true);
  const list = useInfiniteQuery({ ...requestsQuery(filter, isLive), placeholderData: keepPreviousData });
  const requests = list.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  return (
    <>
      <Filter filter={filter} requests={requests} isLive={isLive} onLive={setLive} />
      <Span filter={filter} />
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && requests.length === 0 && <Nothing filter={filter} />}
      {requests.length > 0 && <RequestTable requests={requests} />}
      <MoreButton query={list} />
    </>
  );
}

interface FilterProps {
  readonly filter: RequestFilter;
  readonly requests: readonly RequestRow[];
  readonly isLive: boolean;
  readonly onLive: (isLive: boolean) => void;
}

/** Choices of a shortest time, in milliseconds. */
const lengths = [100, 500, 1_000, 5_000];

function Filter({ filter, requests, isLive, onLive }: FilterProps) {
  const navigate = route.useNavigate();
  const change = (changed: RequestFilter): void => {
    void navigate({ search: (before: RequestFilter) => ({ ...before, ...changed }), replace: true });
  };
  const { slower } = filter;
  const choices = [...new Set([...lengths, ...(slower === undefined ? [] : [slower])])].sort((a, b) => a - b);
  return (
    <Filters
      aside={
        <Switch label={i18n.t("Live")} checked={isLive} onChange={(event) => onLive(event.currentTarget.checked)} mb={8} />
      }
    >
      <AppFilter value={filter.app} onChange={(app) => change({ app })} />
      <SubjectFilter
        label={i18n.t("Person")}
        placeholder={i18n.t("Everyone")}
        value={filter.caller}
        seen={requests.map(({ caller }) => caller)}
        onChange={(caller) => change({ caller })}
      />
      <Select
        label={i18n.t("Slower than")}
        placeholder={i18n.t("Any")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("Any time") }}
        data={choices.map((ms) => ({ value: String(ms), label: duration(ms) }))}
        value={slower === undefined ? null : String(slower)}
        onChange={(ms) => change({ slower: ms === null ? undefined : Number(ms) })}
        w={140}
      />
      <Switch
        label={i18n.t("Failed only")}
        checked={filter.failed ?? false}
        onChange={(event) => change({ failed: event.currentTarget.checked || undefined })}
        mb={8}
      />
    </Filters>
  );
}

const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** Says of which time the requests are, if it is not the whole hour. */
function Span({ filter: { since, until, ...filter } }: { readonly filter: RequestFilter }) {
  if (since === undefined && until === undefined) return null;
  const from = since === undefined ? undefined : time.format(new Date(since));
  const to = until === undefined ? undefined : time.format(new Date(until));
  return (
    <Text size="sm" mb="md">
      {to === undefined
        ? i18n.t("Only requests that began from {from}.", { from })
        : from === undefined
          ? i18n.t("Only requests that began until {to}.", { to })
          : i18n.t("Only requests that began from {from} until {to}.", { from, to })}{" "}
      <PageLink to="/console/trace" search={filter} size="sm" underline="always">
        {i18n.t("Show the whole hour")}
      </PageLink>
    </Text>
  );
}

function Nothing({ filter }: { readonly filter: RequestFilter }) {
  if (Object.values(filter).every((value) => value === undefined))
    return (
      <Empty title={i18n.t("No requests in the last hour")}>
        <Trans
          id="Requests to apps, and commands to the platform, appear here a second after they end. Open the page of an app, or call its API: <0>curl {origin}/api/apps/com.example.app/path</0>"
          values={{ origin: location.origin }}
          components={{ 0: <Command /> }}
        />
      </Empty>
    );
  return (
    <Empty title={i18n.t("No request matches")}>
      <Trans
        id="App and person match as a whole, for example com.example.app and user:alice. Change the filter, or <0>show all requests</0>. A process that handles more than 200 requests in a second keeps only the failed and the slowest ones of that second."
        components={{ 0: <PageLink to="/console/trace" underline="always" /> }}
      />
    </Empty>
  );
}
