import { administratorRole } from "@appserver/contracts/authorization";
import type { Tuple } from "@appserver/kernel/ports";

/** admin has the role `easy` (specification §5 rule 6); alice is a viewer of the notes app; bob has nothing. */
export const devTuples: readonly Tuple[] = [
  { user: "user:admin", relation: "assignee", object: administratorRole },
  { user: "user:alice", relation: "viewer", object: "app:com.example.notes" },
];
