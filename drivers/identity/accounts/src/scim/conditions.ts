import type { Comparison, Condition } from "./filter.ts";
import { invalid } from "./scim-error.ts";
import { nameKey } from "./user-profile.ts";

/** A condition of SQL. Values are parameters, never text. */
export interface SqlCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Column = (value: string | boolean, parameter: (value: unknown) => string) => string;
type Columns = Readonly<Record<string, Column>>;
type Lists = Readonly<Record<string, (element: readonly Comparison[], parameter: (value: unknown) => string) => string>>;

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns whether a text can be the id of a resource. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && idForm.test(text);
}

const users: Columns = {
  id: (value, parameter) => (isId(value) ? `u.person_id = ${parameter(value)}` : "false"),
  username: (value, parameter) => `u.user_name_key = ${parameter(nameKey(textOf(value)))}`,
  externalid: (value, parameter) => `u.external_id = ${parameter(textOf(value))}`,
  displayname: (value, parameter) => `lower(u.profile->>'displayName') = lower(${parameter(textOf(value))})`,
  active: (value, parameter) => `(p.state = 'active') = ${parameter(flagOf(value))}::boolean`,
};

const userLists: Lists = {
  emails: (element, parameter) => {
    const keys = element.filter(({ name }) => name === "value").map(({ value }) => parameter(nameKey(textOf(value))));
    const parts = element.map(({ name, value }) => emailCondition(name, value, parameter));
    const indexed = keys.map((key) => `u.email_keys @> array[${key}]`);
    const exists = `exists (select from jsonb_array_elements(u.profile->'emails') e where ${parts.join(" and ")})`;
    return [...indexed, exists].join(" and ");
  },
};

const groups: Columns = {
  id: (value, parameter) => (isId(value) ? `g.id = ${parameter(value)}` : "false"),
  externalid: (value, parameter) => `g.external_id = ${parameter(textOf(value))}`,
  displayname: (value, parameter) => `g.display_key = ${parameter(nameKey(textOf(value)))}`,
};

const groupLists: Lists = {
  members: (element, parameter) => {
    const ids = element.map(({ name, value }) => {
      if (name !== "value") throw unsupported(`members.${name}`);
      return isId(value) ? `m.person_id = ${parameter(value)}` : "false";
    });
    return `exists (select from accounts.scim_members m where m.group_id = g.id and ${ids.join(" and ")})`;
  },
};

/** Returns the SQL condition on users (`u`) with their account (`p`). */
export function userCondition(conditions: readonly Condition[]): SqlCondition {
  return conditionOf(conditions, users, userLists);
}

/** Returns the SQL condition on groups (`g`). */
export function groupCondition(conditions: readonly Condition[]): SqlCondition {
  return conditionOf(conditions, groups, groupLists);
}

function conditionOf(conditions: readonly Condition[], columns: Columns, lists: Lists): SqlCondition {
  const parameters: unknown[] = [];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const parts = conditions.map((condition) => {
    const name = "list" in condition ? condition.list : condition.name;
    if ("list" in condition && Object.hasOwn(lists, name)) return lists[name]?.(condition.element, parameter);
    if ("name" in condition && Object.hasOwn(columns, name)) return columns[name]?.(condition.value, parameter);
    throw unsupported(name);
  });
  return { sql: parts.length === 0 ? "true" : parts.join(" and "), parameters };
}

function emailCondition(name: string, value: string | boolean, parameter: (value: unknown) => string): string {
  if (name === "primary") return `coalesce((e->>'primary')::boolean, false) = ${parameter(flagOf(value))}::boolean`;
  if (name !== "value" && name !== "type") throw unsupported(`emails.${name}`);
  return `lower(e->>'${name}') = lower(${parameter(textOf(value))})`;
}

function textOf(value: string | boolean): string {
  if (typeof value === "string") return value;
  throw invalid("invalidFilter", "the filter compares a text with true or false");
}

function flagOf(value: string | boolean): boolean {
  if (typeof value === "boolean") return value;
  throw invalid("invalidFilter", "the filter compares true or false with a text");
}

function unsupported(name: string): Error {
  return invalid("invalidFilter", `resources cannot be found by ${name}`);
}
