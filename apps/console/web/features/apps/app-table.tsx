import { Group, Table, Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { CSSProperties, ReactNode, RefObject } from "react";
import type { AppRow } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { stageText } from "../../parts/operation-words.ts";
import { PageLink } from "../../parts/page-link.tsx";
import type { Planned } from "../../parts/plan-dialog.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { firstIcon, startOf } from "../hosting/frontend-facts.ts";
import { type Frontend, frontendsQuery } from "../hosting/frontend-queries.ts";
import { RowAction } from "./row-action.tsx";
import type { Column, Sorting } from "./sorting.ts";
import type { RowWindow } from "./use-row-window.ts";

/** Returns the height of each row, in pixels. On a phone a row is a card. */
export function useRowHeight(): number {
  const isPhone = useMediaQuery("(max-width: 36em)", false, { getInitialValueInEffect: false });
  return isPhone ? 124 : 64;
}

const heads: readonly (readonly [Column | undefined, string])[] = [
  ["name", i18n.t("App")],
  ["state", i18n.t("State")],
  ["version", i18n.t("Version")],
  ["available", i18n.t("Available")],
  ["changed", i18n.t("Changed")],
  [undefined, i18n.t("Action")],
];

interface TableProps {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly count: number;
  readonly window: RowWindow;
  /** Of each row, in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => AppRow | undefined;
  readonly sorting: Sorting;
  readonly canSort: (column: Column) => boolean;
  readonly onSort: (sorting: Sorting) => void;
  readonly onPlan: (planned: Planned) => void;
}

/** The apps, of which only those in sight are in the document. */
export function AppTable({
  frame,
  count,
  window: { first, last },
  rowHeight,
  row,
  sorting,
  canSort,
  onSort,
  onPlan,
}: TableProps) {
  const { data: frontends } = useQuery({ ...frontendsQuery, select: byName });
  const indexes = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  return (
    <section
      className="app-rows"
      ref={frame as RefObject<HTMLElement | null>}
      style={{ "--row-height": `${rowHeight}px` } as CSSProperties}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
      tabIndex={0}
      aria-label={i18n.t("List of apps")}
    >
      <Table highlightOnHover stickyHeader layout="fixed" aria-rowcount={count + 1}>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            {heads.map(([column, title]) => (
              <Head key={title} column={column} title={title} sorting={sorting} canSort={canSort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Space height={first * rowHeight} />
          {indexes.map((index) => (
            <Row key={index} index={index} app={row(index)} frontend={frontends?.get(row(index)?.name ?? "")} onPlan={onPlan} />
          ))}
          <Space height={(count - 1 - last) * rowHeight} />
        </Table.Tbody>
      </Table>
    </section>
  );
}

function byName(frontends: readonly Frontend[]): ReadonlyMap<string, Frontend> {
  return new Map(frontends.map((frontend) => [frontend.name, frontend]));
}

function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true">
      <td colSpan={heads.length} style={{ height, padding: 0 }} />
    </tr>
  );
}

interface HeadProps extends Pick<TableProps, "sorting" | "canSort" | "onSort"> {
  readonly column: Column | undefined;
  readonly title: string;
}

function Head({ column, title, sorting: { by = "name", order }, canSort, onSort }: HeadProps) {
  if (column === undefined || !canSort(column)) return <Table.Th data-column={column}>{title}</Table.Th>;
  const isSorted = by === column;
  const direction = order ?? "ascending";
  const arrow = direction === "ascending" ? "▲" : "▼";
  const next = isSorted && direction === "ascending" ? "descending" : undefined;
  return (
    <Table.Th data-column={column} {...(isSorted && { "aria-sort": direction })}>
      <UnstyledButton
        fw={500}
        fz="xs"
        c="inherit"
        onClick={() => onSort({ by: column === "name" ? undefined : column, order: next })}
        aria-label={i18n.t("Sort by {title}", { title })}
      >
        {title} <span aria-hidden="true">{isSorted ? arrow : ""}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

interface RowProps {
  readonly index: number;
  readonly app: AppRow | undefined;
  /** Undefined: the viewer may open no page of the app. */
  readonly frontend: Frontend | undefined;
  readonly onPlan: (planned: Planned) => void;
}

function Row({ index, app, frontend, onPlan }: RowProps) {
  if (!app) {
    return (
      <Table.Tr className="app-row" aria-rowindex={index + 2}>
        <Table.Td colSpan={heads.length}>
          <Text size="sm" c="dimmed">
            {i18n.t("Loading")}
          </Text>
        </Table.Td>
      </Table.Tr>
    );
  }
  const { name, displayName, description, state, enabled, asleepSince, version, availableVersion, updatedAt } = app;
  return (
    <Table.Tr className="app-row" aria-rowindex={index + 2}>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <AppIcon icon={frontend && firstIcon(frontend)} title={displayName} />
          <div className="line">
            <Line title={displayName}>
              <PageLink to="/console/apps/$name" params={{ name }} fw={600}>
                {displayName}
              </PageLink>
            </Line>
            <Line title={description ?? name}>
              <Text size="sm" c="dimmed" span>
                {description ? `${name} · ${description}` : name}
              </Text>
            </Line>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <StateBadge state={state} enabled={enabled} isAsleep={asleepSince != null} />
        <Progress app={app} />
      </Table.Td>
      <Table.Td data-title={i18n.t("Version")}>
        <Line title={version}>{version}</Line>
      </Table.Td>
      <Table.Td data-title={i18n.t("Available")}>
        {availableVersion && <Line title={availableVersion}>{availableVersion}</Line>}
      </Table.Td>
      <Table.Td data-title={i18n.t("Changed")}>
        <Line>
          <Time at={updatedAt} />
        </Line>
      </Table.Td>
      <Table.Td>
        <RowAction app={app} page={frontend?.state === "RUNNING" ? startOf(frontend) : undefined} onPlan={onPlan} />
      </Table.Td>
    </Table.Tr>
  );
}

/** What the app does now, below its state. */
function Progress({ app: { operation, asleepSince } }: { readonly app: AppRow }) {
  const isRunning = operation && !operation.done;
  if (!isRunning && !asleepSince) return null;
  return (
    <Line>
      <Text size="sm" c="dimmed" span>
        {isRunning ? (
          `${stageText(operation.stage)}, ${Math.round(operation.progress * 100)} %`
        ) : (
          <Time at={asleepSince ?? ""} />
        )}
      </Text>
    </Line>
  );
}

/** A text of one line: every row has the same height. */
function Line({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <div className="line" title={title}>
      {children}
    </div>
  );
}
