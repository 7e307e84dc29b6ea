/** What the API sends. The page uses the same types. */
export interface Link {
  readonly id: number;
  readonly group: string;
  readonly title: string;
  readonly url: string;
}

export type NewLink = Omit<Link, "id">;

export const maxName = 80;
export const maxUrl = 2_000;
export const maxLinks = 500;

/** May add and remove links. */
export const editPermission = "com.example.links:edit";
