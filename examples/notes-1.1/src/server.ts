import { runNotes } from "@appserver/example-notes/run-notes";
import { searchRoutes } from "./search-routes.ts";

/** The default of the setting in app.yaml. Used until the first values from the platform arrive. */
const defaultLimit = 20;

await runNotes(({ store, settings }) =>
  searchRoutes(store, () => settings?.number("notes.search_limit", defaultLimit) ?? defaultLimit),
);
