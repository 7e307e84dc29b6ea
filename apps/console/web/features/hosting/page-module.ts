import type { FrontendPage } from "./frontend-queries.ts";

/** What is needed to run the scripts of a page. */
export type PageModule = Pick<FrontendPage, "name" | "mode" | "url" | "exposedModule" | "scripts">;
