import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { download } from "../../parts/download.ts";
import { type Level, levels } from "../../parts/log-line.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Loading, Needs } from "../../parts/states.tsx";
import { choicesOf } from "../../parts/status.tsx";
import type { Row } from "./log-buffer.ts";
import { LogLines } from "./log-lines.tsx";
import { type Log, useLog } from "./use-log.ts";

const route = getRouteApi("/shell/console/apps/$name/logs");

export interface LogFilter {
  readonly search?: string | undefined;
  readonly level?: Level | undefined;
  /** The beginning of the id of an instance. */
  readonly instance?: string | undefined;
}

export function AppLogs() {
  const { name } = route.useParams();
  const { instance } = route.useSearch();
  return (
    <Needs permission="app:logs">
      <Tail key={`${name} ${instance}`} name={name} />
    </Needs>
  );
}

function Tail({ name }: { readonly name: string }) {
  const filter: LogFilter = route.useSearch();
  const live = useLog(name, filter.instance);
  const [paused, setPaused] = useState<Log>();
  const { rows, hasBegun, refusal } = paused ? { ...live, rows: paused.rows } : live;
  const shown = rows.filter((row) => matches(row, filter));
  const waiting = paused ? live.received - paused.received : 0;
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Filter filter={filter} />
        {filter.instance !== undefined && (
          <PageLink to="/console/apps/$name/logs" params={{ name }}>
            Only the instance {filter.instance}: show all
          </PageLink>
        )}
        <Button variant="default" onClick={() => setPaused(paused ? undefined : live)}>
          {paused ? "Resume" : "Pause"}
        </Button>
        <Button
          variant="default"
          disabled={rows.length === 0}
          onClick={() => download(`${name}.log`, "text/plain", rows.map(asText).join(""))}
        >
          Download
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {shown.length === rows.length ? "Lines: " : `Lines: ${shown.length} of `}
        {rows.length}
        {paused && `, paused, ${waiting} new`}
      </Text>
      {refusal && (
        <Empty title={refusal.code === "INVALID_STATE" ? "The app has no log now" : "The log cannot be read now"}>
          {refusal.message}. Lines appear here as soon as there are some.
        </Empty>
      )}
      {rows.length > 0 && <LogLines name={name} rows={shown} search={filter.search ?? ""} />}
      {rows.length === 0 && !refusal && (hasBegun ? <Nothing /> : <Loading />)}
    </Stack>
  );
}

function Nothing() {
  return <Empty title="No lines yet">The app has printed nothing. Lines appear here as soon as it does.</Empty>;
}

/** Remarks are shown with every filter. */
function matches({ line, text, level }: Row, filter: LogFilter): boolean {
  if (!line) return true;
  if (filter.level && level !== filter.level) return false;
  // The line as it was printed: what it is searched for may be a part of two fields.
  return text.toLowerCase().includes((filter.search ?? "").toLowerCase());
}

function asText({ line, text }: Row): string {
  return line ? `${line.time} ${line.stream.toLowerCase()} ${text}\n` : `# ${text}\n`;
}

function Filter({ filter }: { readonly filter: LogFilter }) {
  const navigate = route.useNavigate();
  const change = (changed: LogFilter): void => {
    void navigate({ search: (before: LogFilter) => ({ ...before, ...changed }), replace: true });
  };
  return (
    <>
      <SearchInput value={filter.search} placeholder="Part of a line" onSearch={(search) => change({ search })} />
      <Select
        label="Level"
        placeholder="All"
        clearable
        clearButtonProps={{ "aria-label": "All levels" }}
        data={choicesOf(levels)}
        value={filter.level ?? null}
        onChange={(level) => change({ level: levels.find((each) => each === level) })}
        w={140}
      />
    </>
  );
}
