import { administratorRole } from "@appserver/contracts/authorization";
import type { Tuple } from "@appserver/kernel/ports";

/** admin has the role `easy` (docs/interface/permissions.md#roles). alice is a viewer of the notes app. bob has no tuple. */
export const devTuples: readonly Tuple[] = [
  { user: "user:admin", relation: "assignee", object: administratorRole },
  { user: "user:alice", relation: "viewer", object: "app:com.example.notes" },
];
