/** A filter of a list with a name, as the address of the page has it. */
export interface View {
  readonly name: string;
  readonly search: Readonly<Record<string, unknown>>;
}

/** Of one page. */
export const maxViews = 20;
const maxNameLength = 60;

/** Returns the views with another one, which replaces that of the same name. Unchanged if the name is empty or there are too many. */
export function withView(views: readonly View[], { name, search }: View): readonly View[] {
  const trimmed = name.trim().slice(0, maxNameLength);
  const others = views.filter((view) => view.name !== trimmed);
  if (trimmed === "" || others.length >= maxViews) return views;
  return [...others, { name: trimmed, search: valuesOf(search) }].sort((a, b) => a.name.localeCompare(b.name));
}

/** Returns the values of a filter that are set. */
export function valuesOf(search: View["search"]): View["search"] {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** Reads views that the browser has kept. What is none is left out. */
export function viewsOf(stored: string | null): readonly View[] {
  try {
    const read: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(read) ? read.filter(isView).slice(0, maxViews) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== "object" || value === null) return false;
  const { name, search } = value as Partial<View>;
  return typeof name === "string" && typeof search === "object" && search !== null && !Array.isArray(search);
}
