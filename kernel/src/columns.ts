/** The column of one field of a record. */
export interface Column<T> {
  /** Its name, if it is not the field's name in snake case. */
  readonly name?: string;
  /** The expression that is selected in place of the column. */
  readonly expression?: string;
  /** Converts the value that the driver returns, which is not null. */
  read?(stored: unknown): T;
  /** Converts a value for the driver. It is never undefined. */
  write?(value: T): unknown;
}

/** A column whose values need no conversion. */
export const column: Column<never> = {};

/** A column of type `jsonb` with the value as it is. */
export const json: Column<never> = { write: JSON.stringify };

/** The columns of a record, each declared once. Absent values (undefined) are null in the database. */
export interface Columns<R> {
  /** All fields, in the order of their declaration. */
  readonly fields: readonly (keyof R)[];
  /** What `select` takes: `id, app_name, nullif(due_at, 'infinity') as due_at`. */
  readonly selected: string;
  /** Returns the names of the columns of these fields, by default of all fields that are not computed by an expression. */
  names(fields?: readonly (keyof R)[]): readonly string[];
  /** Returns the values of a record in the order of {@link names}. */
  values(record: R, fields?: readonly (keyof R)[]): readonly unknown[];
  /** Converts a row of a statement that selected {@link selected}. */
  record(row: object): R;
}

/** Declares the columns of a record. A field without a column, or a column without a field, is a compile error. */
export function columns<R extends object>(declared: { readonly [F in keyof Required<R>]: Column<R[F]> }): Columns<R> {
  const fields = Object.keys(declared) as (keyof R & string)[];
  const nameOf = (field: keyof R): string => declared[field].name ?? snakeCase(String(field));
  const all = fields.map((field) => ({ field, name: nameOf(field), read: declared[field].read }));
  const stored = fields.filter((field) => declared[field].expression === undefined);
  // V8 makes a hash table, which is six times as large, of an object that gets many fields one by one, but not of a parsed one.
  const blank = JSON.stringify(Object.fromEntries(fields.map((field) => [field, null])));
  return {
    fields,
    selected: fields.map((field) => selectedAs(nameOf(field), declared[field].expression)).join(", "),
    names: (some = stored) => some.map(nameOf),
    values: (record, some = stored) =>
      some.map((field) => {
        const value = record[field];
        if (value === undefined) return null;
        const { write } = declared[field];
        return write ? write(value) : value;
      }),
    record: (row) => {
      const record = JSON.parse(blank) as Record<string, unknown>;
      for (const { field, name, read } of all) {
        const value = (row as Readonly<Record<string, unknown>>)[name] ?? undefined;
        record[field] = value === undefined || read === undefined ? value : read(value);
      }
      return record as R;
    },
  };
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function selectedAs(name: string, expression: string | undefined): string {
  return expression === undefined ? name : `${expression} as ${name}`;
}
