import { Checkbox, Code, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { type PlatformOption, platformQuery } from "./platform-queries.ts";

const route = getRouteApi("/shell/console/platform");

/** Whether the operator has set it: what has no value has no default either. */
const isSet = ({ origin }: PlatformOption): boolean => origin !== "default" && origin !== "not set";

/** The options in force: what was set first, and then the sections, which unfold. */
export function Options() {
  const { search, changed } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(platformQuery);
  if (!data) return null;
  const wanted = (search ?? "").toLowerCase();
  const isSearched = wanted !== "";
  const found = data.options.filter(({ section, name }) => `${section}.${name}`.toLowerCase().includes(wanted));
  const set = found.filter(isSet);
  const sections = changed ? [] : [...Map.groupBy(found, ({ section }) => section)];
  const count = changed ? set.length : found.length;
  return (
    <Section title={i18n.t("Options in force")}>
      <Stack gap="sm">
        <Group align="end">
          <SearchInput
            value={search}
            label={i18n.t("Search options")}
            placeholder={i18n.t("Part of the name")}
            onSearch={(text) => void navigate({ search: (before) => ({ ...before, search: text }), replace: true })}
          />
          <Checkbox
            label={i18n.t("Only those that are set")}
            checked={changed ?? false}
            mb={8}
            onChange={({ currentTarget: { checked } }) =>
              void navigate({ search: (before) => ({ ...before, changed: checked || undefined }), replace: true })
            }
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {i18n.t("{shown} of {all} options. Secrets are masked.", { shown: count, all: data.options.length })}
        </Text>
        {count === 0 && <Empty title={i18n.t("No option matches")}>{i18n.t("Change the search or the filter.")}</Empty>}
        <div>
          {set.length > 0 && (changed || !isSearched) && (
            <OptionGroup title={i18n.t("Set")} count={set.length} isOpen>
              <OptionTable label={i18n.t("Options that are set")} options={set} isOfAll />
            </OptionGroup>
          )}
          {sections.map(([section, options]) => (
            <OptionGroup
              key={`${section} ${isSearched}`}
              title={section}
              count={options.length}
              set={options.filter(isSet).length}
              isOpen={isSearched}
            >
              <OptionTable label={i18n.t("Options of {section}", { section })} options={setFirst(options)} />
            </OptionGroup>
          ))}
        </div>
      </Stack>
    </Section>
  );
}

function setFirst(options: readonly PlatformOption[]): readonly PlatformOption[] {
  return [...options.filter(isSet), ...options.filter((option) => !isSet(option))];
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  /** How many of them are set, if it is worth a mark. */
  readonly set?: number;
  /** At first. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** Options that unfold. */
function OptionGroup({ title, count, set = 0, isOpen, children }: GroupProps) {
  return (
    <details className="option-group" open={isOpen}>
      <summary>
        <Text span fw={600} size="sm">
          {title}
        </Text>{" "}
        <Text span size="sm" c="dimmed">
          {i18n.t("{count, plural, one {# option} other {# options}}", { count })}
        </Text>{" "}
        {set > 0 && <Status tone="active">{i18n.t("{set} set", { set })}</Status>}
      </summary>
      {children}
    </details>
  );
}

interface TableProps {
  readonly label: string;
  readonly options: readonly PlatformOption[];
  /** Whether they are of several sections. */
  readonly isOfAll?: boolean;
}

function OptionTable({ label, options, isOfAll = false }: TableProps) {
  return (
    <ListTable
      minWidth={620}
      label={label}
      columns={[{ title: i18n.t("Option"), width: "30%" }, { title: i18n.t("Value"), width: "45%" }, i18n.t("From")]}
    >
      {options.map((option) => (
        <OptionRow key={`${option.section}.${option.name}`} option={option} isOfAll={isOfAll} />
      ))}
    </ListTable>
  );
}

function originOf({ origin }: PlatformOption): ReactNode {
  if (origin === "default") return i18n.t("default");
  return origin === "not set" ? "" : <Code>{origin}</Code>;
}

function OptionRow({ option, isOfAll }: { readonly option: PlatformOption; readonly isOfAll: boolean }) {
  const { section, name, value } = option;
  return (
    <Table.Tr>
      <Table.Td className="wrap" fw={isSet(option) && !isOfAll ? 600 : 400}>
        {isOfAll ? `${section}.${name}` : name}
      </Table.Td>
      <Table.Td className="wrap">
        {value === "" ? (
          <Text span size="sm" c="dimmed">
            {i18n.t("not set")}
          </Text>
        ) : (
          <Code>{value}</Code>
        )}
      </Table.Td>
      <Table.Td className="wrap">{originOf(option)}</Table.Td>
    </Table.Tr>
  );
}
