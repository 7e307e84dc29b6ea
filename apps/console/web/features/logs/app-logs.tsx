import { Button, Group, Select, Stack, Switch, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { download } from "../../parts/download.ts";
import { type Level, levels } from "../../parts/log-line.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Loading, Needs } from "../../parts/states.tsx";
import { choicesOf } from "../../parts/words.ts";
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
  const [isWrapped, setWrapped] = useLocalStorage({ key: "log-wrap", defaultValue: true, getInitialValueInEffect: false });
  const { rows, hasBegun, refusal } = paused ? { ...live, rows: paused.rows } : live;
  const shown = rows.filter((row) => matches(row, filter));
  const waiting = paused ? live.received - paused.received : 0;
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Filter filter={filter} />
        <Switch
          label={i18n.t("Wrap lines")}
          checked={isWrapped}
          onChange={({ currentTarget }) => setWrapped(currentTarget.checked)}
          mb={8}
        />
        {filter.instance !== undefined && (
          <PageLink to="/console/apps/$name/logs" params={{ name }}>
            {i18n.t("Only the instance {instance}: show all", { instance: filter.instance })}
          </PageLink>
        )}
        <Button variant="default" onClick={() => setPaused(paused ? undefined : live)}>
          {paused ? i18n.t("Resume") : i18n.t("Pause")}
        </Button>
        <Button
          variant="default"
          disabled={rows.length === 0}
          onClick={() => download(`${name}.log`, "text/plain", rows.map(asText).join(""))}
        >
          {i18n.t("Download")}
        </Button>
        <SavedViews />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {shown.length === rows.length
          ? i18n.t("Lines: {all}", { all: rows.length })
          : i18n.t("Lines: {shown} of {all}", { shown: shown.length, all: rows.length })}
        {paused && i18n.t(", paused, {waiting} new", { waiting })}
      </Text>
      {refusal && (
        <Empty
          title={refusal.code === "INVALID_STATE" ? i18n.t("The app has no log now") : i18n.t("The log cannot be read now")}
        >
          {i18n.t("{message}. Lines appear here as soon as there are some.", { message: refusal.message })}
        </Empty>
      )}
      {rows.length > 0 && <LogLines name={name} rows={shown} search={filter.search ?? ""} isWrapped={isWrapped} />}
      {rows.length === 0 && !refusal && (hasBegun ? <Nothing /> : <Loading />)}
    </Stack>
  );
}

function Nothing() {
  return (
    <Empty title={i18n.t("No lines yet")}>{i18n.t("The app has printed nothing. Lines appear here as soon as it does.")}</Empty>
  );
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
      <SearchInput value={filter.search} placeholder={i18n.t("Part of a line")} onSearch={(search) => change({ search })} />
      <Select
        label={i18n.t("Level")}
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All levels") }}
        data={choicesOf(levels)}
        value={filter.level ?? null}
        onChange={(level) => change({ level: levels.find((each) => each === level) })}
        w={140}
      />
    </>
  );
}
