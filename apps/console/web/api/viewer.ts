import { createContext, use } from "react";
import type { Viewer } from "./queries.ts";

/** The user that is signed in. The session gate gives it. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** Returns the user that is signed in. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (!viewer) throw new TypeError("useViewer needs a SessionGate around it");
  return viewer;
}
