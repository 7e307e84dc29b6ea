import { Conditions } from "@appserver/kernel";
import type { AppOrder, AppQuery } from "../domain/app-query.ts";

/** C collation: pages use the same order as name comparisons elsewhere. */
const nameColumn = 'name collate "C"';

/** Records have times in milliseconds, and the cursor is made of one. */
const columns: Readonly<Record<AppOrder, readonly string[]>> = {
  NAME: [nameColumn],
  STATE: ['state collate "C"', nameColumn],
  UPDATED: ["date_trunc('milliseconds', updated_at)", nameColumn],
};

/** Returns the conditions of the filter, for all pages together. */
export function filterOf({ names, states, search }: AppQuery): Conditions {
  const where = new Conditions();
  if (names !== undefined) where.add("name = any(?::text[])", names);
  if (states !== undefined) where.add("state = any(?::text[])", states);
  if (search !== undefined) where.add("(name ilike ? or display_name ilike ?)", `%${search.replace(/[\\%_]/g, "\\$&")}%`);
  return where;
}

/** Returns the conditions of one page. */
export function pageOfList(query: AppQuery): Conditions {
  const where = filterOf(query);
  const { after, order = "NAME", descending = false } = query;
  if (!after) return where;
  const parameters = (order === "NAME" ? [after.name] : [after.value, after.name]).map((value) => where.parameter(value));
  const [first, ...rest] = parameters;
  const values = order === "UPDATED" ? [`${first}::timestamptz`, ...rest] : parameters;
  where.addFixed(`(${columns[order].join(", ")}) ${descending ? "<" : ">"} (${values.join(", ")})`);
  return where;
}

/** Returns what follows `order by`. */
export function orderOf({ order = "NAME", descending = false }: AppQuery): string {
  return columns[order].map((column) => (descending ? `${column} desc` : column)).join(", ");
}
