/** The page contract: what an app's page receives from the platform's shell (docs/interface/console.md#pages-of-apps). */
export { connectPage } from "./connect-page.ts";
export { type FollowedRun, type FollowOptions, followRun } from "./follow-run.ts";
export {
  elementName,
  type MountPage,
  type NavigateOptions,
  type NoticeKind,
  type PageContext,
  type PageElement,
  type PageRequest,
  type PageTheme,
  type PageViewer,
} from "./page-types.ts";
