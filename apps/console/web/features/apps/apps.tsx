import { Trans } from "@lingui/react";
import { Group, Select, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback, useThrottledValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { type AppsFilter, appsQuery } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";
import { Command } from "../../parts/command.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { PlanDialog, type Planned } from "../../parts/plan-dialog.tsx";
import { appStates } from "../../parts/state-badge.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { choicesOf } from "../../parts/words.ts";
import { type AppPages, useAppPages } from "./app-pages.ts";
import { AppTable, useRowHeight } from "./app-table.tsx";
import { isOrderOfPlatform, maxSorted, orderOf, type Sorting, sorted } from "./sorting.ts";
import { useRowWindow } from "./use-row-window.ts";

const route = getRouteApi("/shell/console/apps");
const typingMs = 250;
/** While a user scrolls far, most rows pass by. */
const loadEveryMs = 100;

export function Apps() {
  usePageTitle(i18n.t("Apps"));
  return (
    <Needs permission="app:view">
      <AppList />
    </Needs>
  );
}

function AppList() {
  const { by, order, ...filter }: AppsFilter & Sorting = route.useSearch();
  const navigate = route.useNavigate();
  const [planned, setPlanned] = useState<Planned>();
  const frame = useRef<HTMLDivElement>(null);
  const { data: head } = useQuery({ ...appsQuery(filter, null), placeholderData: keepPreviousData });
  const count = head?.totalCount ?? 0;
  const canSort = count <= maxSorted;
  const sorting: Sorting = canSort || isOrderOfPlatform({ by, order }) ? { by, order } : {};
  const sorts = !isOrderOfPlatform(sorting);
  const rowHeight = useRowHeight();
  const visible = useRowWindow(frame, count, rowHeight);
  const loaded = useThrottledValue(visible, loadEveryMs);
  const pages = useAppPages(
    { ...filter, ...orderOf(sorting) },
    sorts ? 0 : loaded.first,
    sorts ? count - 1 : Math.max(loaded.last, 0),
  );
  const row = sorts ? sortedRow(pages, count, sorting) : pages.row;
  return (
    <>
      <Group justify="space-between" mb="md">
        <Title order={1}>{i18n.t("Apps")}</Title>
        <PageLink to="/console/gallery">{i18n.t("Try an app")}</PageLink>
      </Group>
      <Filter filter={filter} />
      {pages.error && <Failure error={pages.error} retry={pages.retry} />}
      {pages.count === undefined && !pages.error && <Loading />}
      {pages.count === 0 && <NoApps isFiltered={Boolean(filter.search || filter.state)} />}
      {count > 0 && (
        <Text size="sm" c="dimmed" role="status" mb="xs">
          {i18n.t("{count, plural, one {# app} other {# apps}}", { count })}
          {canSort ? "" : i18n.t(". Up to {maxSorted} can be sorted by version: narrow the search for that.", { maxSorted })}
        </Text>
      )}
      <div hidden={count === 0}>
        <AppTable
          frame={frame}
          count={count}
          window={visible}
          rowHeight={rowHeight}
          row={row}
          sorting={sorting}
          canSort={(column) => canSort || isOrderOfPlatform({ by: column })}
          onSort={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
          onPlan={setPlanned}
        />
      </div>
      <PlanDialog planned={planned} onClose={() => setPlanned(undefined)} />
    </>
  );
}

/** Rows appear when all are loaded: before that, their order is not known. */
function sortedRow(pages: AppPages, count: number, sorting: Sorting): AppPages["row"] {
  const all = Array.from({ length: count }, (_, index) => pages.row(index)).filter((app) => app !== undefined);
  if (all.length < count) return () => undefined;
  const rows = sorted(all, sorting);
  return (index) => rows[index];
}

function NoApps({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title={i18n.t("No app matches")}>{i18n.t("Change the search or the state.")}</Empty>;
  return (
    <Empty title={i18n.t("No apps yet")}>
      <Trans
        id="To make one, run <0>appctl create hello --template api</0>, and then <1>appctl deploy hello</1>. Apps that run elsewhere register themselves over gRPC."
        components={{ 0: <Command />, 1: <Command /> }}
      />
    </Empty>
  );
}

function Filter({ filter }: { readonly filter: AppsFilter }) {
  const navigate = route.useNavigate();
  const change = (changed: AppsFilter): void => {
    void navigate({ search: (before: AppsFilter) => ({ ...before, ...changed }), replace: true });
  };
  const search = useDebouncedCallback((text: string) => change({ search: text || undefined }), typingMs);
  return (
    <Group mb="md" align="flex-end">
      <TextInput
        label={i18n.t("Search")}
        className="filter"
        type="search"
        placeholder={i18n.t("Part of the name")}
        defaultValue={filter.search ?? ""}
        onChange={(event) => search(event.currentTarget.value)}
      />
      <Select
        label={i18n.t("State")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All states") }}
        data={choicesOf(appStates)}
        value={filter.state ?? null}
        onChange={(state) => change({ state: appStates.find((each) => each === state) })}
      />
    </Group>
  );
}
