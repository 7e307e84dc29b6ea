import { Button, Group, Select, Table, Text, TextInput, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { ByClient } from "../../parts/by-client.tsx";
import { download } from "../../parts/download.ts";
import { FilterField, SubjectFilter } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { OutcomeBadge } from "../../parts/outcome-badge.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { choicesOf } from "../../parts/words.ts";
import { actionChoices, actionTitle } from "./action-titles.ts";
import { AuditDetails } from "./audit-details.tsx";
import { type AuditRow, allEntries, auditQuery } from "./audit-queries.ts";
import { csvOf } from "./csv.ts";
import { type AuditFilter, auditOutcomes } from "./filter.ts";

const route = getRouteApi("/shell/console/audit");
const maxExported = 10_000;

export function Audit() {
  usePageTitle(i18n.t("Audit log"));
  return (
    <Needs permission="audit:view">
      <AuditList />
    </Needs>
  );
}

function AuditList() {
  const filter: AuditFilter = route.useSearch();
  const audit = useInfiniteQuery({ ...auditQuery(filter), placeholderData: keepPreviousData });
  const entries = audit.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  return (
    <>
      <Title order={1} mb="md">
        {i18n.t("Audit log")}
      </Title>
      <Filter filter={filter} entries={entries} />
      <Group mb="md">
        <BusyButton variant="default" loading={audit.isFetching} onClick={() => void audit.refetch()}>
          {i18n.t("Refresh")}
        </BusyButton>
        <Export filter={filter} />
      </Group>
      {audit.error && <Failure error={audit.error} retry={() => void audit.refetch()} />}
      {audit.isPending && <Loading />}
      {audit.data && entries.length === 0 && (
        <Empty title={i18n.t("No entries")}>
          {Object.values(filter).some((value) => value !== undefined)
            ? i18n.t("Actor, action and target match as a whole, for example app:com.example.app. Change the filter.")
            : i18n.t("Each change of apps, permissions and settings appears here.")}
        </Empty>
      )}
      {entries.length > 0 && <AuditTable entries={entries} />}
      <MoreButton query={audit} />
    </>
  );
}

function Filter({ filter, entries }: { readonly filter: AuditFilter; readonly entries: readonly AuditRow[] }) {
  const navigate = route.useNavigate();
  const change = (changed: AuditFilter): void => {
    void navigate({ search: (before: AuditFilter) => ({ ...before, ...changed }), replace: true });
  };
  const seen = (name: "actor" | "client" | "action" | "target") => [...new Set(entries.flatMap((entry) => entry[name] ?? []))];
  const time = (label: string, name: "since" | "until") => (
    <TextInput
      label={label}
      type="datetime-local"
      className="filter"
      value={filter[name] ?? ""}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    />
  );
  return (
    <Filters>
      <SubjectFilter
        label={i18n.t("Actor")}
        placeholder={i18n.t("Everyone")}
        value={filter.actor}
        seen={seen("actor")}
        onChange={(actor) => change({ actor })}
      />
      <FilterField
        label={i18n.t("Program of a language model")}
        placeholder={i18n.t("All and none")}
        value={filter.client}
        choices={seen("client").map((client) => ({ value: client, label: client }))}
        onChange={(client) => change({ client })}
      />
      <FilterField
        label={i18n.t("Action")}
        placeholder={i18n.t("All actions")}
        value={filter.action}
        choices={actionChoices(seen("action"))}
        onChange={(action) => change({ action })}
      />
      <SubjectFilter
        label={i18n.t("Target")}
        placeholder={i18n.t("All targets")}
        value={filter.target}
        seen={seen("target")}
        isTarget
        onChange={(target) => change({ target })}
      />
      <Select
        label={i18n.t("Outcome")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All outcomes") }}
        data={choicesOf(auditOutcomes)}
        value={filter.outcome ?? null}
        onChange={(outcome) => change({ outcome: auditOutcomes.find((each) => each === outcome) })}
      />
      {time(i18n.t("From"), "since")}
      {time(i18n.t("Before"), "until")}
    </Filters>
  );
}

function Export({ filter }: { readonly filter: AuditFilter }) {
  const [count, setCount] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setCount(0);
    try {
      const { entries, isComplete } = await allEntries(filter, maxExported, setCount, signal);
      download(
        "audit-log.csv",
        "text/csv",
        csvOf([["at", "actor", "client", "action", "target", "outcome", "details", "trace_id"], ...entries.map(asCells)]),
      );
      notify(
        i18n.t("{count} entries are exported", { count: entries.length }),
        isComplete ? undefined : i18n.t("Older entries are not in the file."),
      );
    } catch (error) {
      if (!signal.aborted) notifyFailure(i18n.t("The audit log was not exported"))(error);
    } finally {
      setCount(undefined);
    }
  };
  if (count === undefined) {
    return (
      <Button variant="default" onClick={() => void run()}>
        {i18n.t("Export as CSV")}
      </Button>
    );
  }
  return (
    <Button variant="default" onClick={() => running.current?.abort()}>
      <span role="status">{i18n.t("{count} entries, cancel", { count })}</span>
    </Button>
  );
}

function asCells({ at, actor, client, action, target, outcome, details, traceId }: AuditRow): readonly string[] {
  return [at, actor, client ?? "", action, target, outcome, details === null ? "" : JSON.stringify(details), traceId ?? ""];
}

function AuditTable({ entries }: { readonly entries: readonly AuditRow[] }) {
  return (
    <ListTable
      minWidth={860}
      columns={[i18n.t("Time"), i18n.t("Actor"), i18n.t("Action"), i18n.t("Target"), i18n.t("Outcome"), i18n.t("Details")]}
    >
      {entries.map(({ id, at, actor, client, action, target, outcome, details, traceId }) => (
        <Table.Tr key={id} style={{ verticalAlign: "top" }}>
          <Table.Td style={{ whiteSpace: "nowrap" }}>
            <Time at={at} />
          </Table.Td>
          <Table.Td className="wrap">
            <Who id={actor} />
            <ByClient client={client} />
          </Table.Td>
          <Table.Td>
            <Action action={action} />
          </Table.Td>
          <Table.Td className="wrap">
            <PageLink
              to="/console/audit"
              search={{ target }}
              size="sm"
              underline="always"
              title={i18n.t("Only entries of this target")}
            >
              {target}
            </PageLink>
          </Table.Td>
          <Table.Td>
            <OutcomeBadge outcome={outcome} />
          </Table.Td>
          <Table.Td className="wrap" maw={420}>
            <AuditDetails details={details} traceId={traceId} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

/** In words, and as the API and exported files have it. */
function Action({ action }: { readonly action: string }) {
  const title = actionTitle(action);
  return (
    <>
      {title}
      {title !== action && (
        <Text size="xs" c="dimmed">
          {action}
        </Text>
      )}
    </>
  );
}
