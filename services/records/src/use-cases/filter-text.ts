import { invalidField } from "@appserver/kernel";

/** Returns the field of a filter with this text, or nothing without a text. Throws INVALID_REQUEST for NUL, which PostgreSQL refuses. */
export function textOf<Field extends string>(
  field: Field,
  value: string | null | undefined,
): { readonly [F in Field]?: string } {
  if (value == null) return {};
  if (value.includes("\u0000")) throw invalidField(field, "must not hold NUL");
  return { [field]: value } as { readonly [F in Field]?: string };
}
