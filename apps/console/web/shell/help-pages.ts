/** The pages of the documentation, by what the paths of the console begin with. The first one that fits. */
export const helpPages: readonly (readonly [path: RegExp, documentation: string])[] = [
  [/^\/console\/apps\/[^/]+\/settings/, "interface/settings"],
  [/^\/console\/apps\/[^/]+\/permissions/, "interface/permissions"],
  [/^\/console\/apps\/[^/]+\/routes/, "interface/proxy"],
  [/^\/console\/apps\/[^/]+\/logs/, "interface/logs"],
  [/^\/console\/apps\/[^/]+\/hooks/, "interface/hooks"],
  [/^\/console\/apps\/[^/]+\/(?:activities|runs)/, "interface/activities"],
  [/^\/console\/apps\/[^/]+\/backups/, "interface/snapshots"],
  [/^\/console\/apps/, "interface/states"],
  [/^\/console\/hooks/, "interface/hooks"],
  [/^\/console\/activities/, "interface/activities"],
  [/^\/console\/events/, "interface/events"],
  [/^\/console\/notifications/, "interface/notifications"],
  [/^\/console\/backups/, "guides/backup-and-restore"],
  [/^\/console\/trace/, "interface/traces"],
  [/^\/console\/access/, "guides/users-and-roles"],
  [/^\/console\/audit/, "interface/operations#audit-log"],
  [/^\/console\/agents/, "guides/agents"],
  [/^\/console\/platform/, "reference/options"],
  [/^\/console/, "interface/console"],
];

/** Returns the address of the documentation of a page. Pages of apps are documented by their apps. */
export function helpOf(pathname: string): string | undefined {
  if (pathname === "/") return "/docs/";
  const page = helpPages.find(([path]) => path.test(pathname));
  return page && `/docs/${page[1]}`;
}
