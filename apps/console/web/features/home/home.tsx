import { Trans } from "@lingui/react";
import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { type ClosedApp, closedAppsQuery } from "../../api/access-requests.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { type Frontend, frontendsQuery } from "../hosting/frontend-queries.ts";
import { ClosedTile, Tile } from "./app-tiles.tsx";
import { useFavourites } from "./favourites.ts";
import { NeedsYou } from "./needs-you.tsx";

/** The apps that the viewer may use, and those to ask for. Everyone may see this page. */
export function Home() {
  usePageTitle(i18n.t("Home"));
  const { data: frontends, error, refetch } = useQuery(frontendsQuery);
  const { data: closed = [] } = useQuery(closedAppsQuery);
  const [search, setSearch] = useState<string>();
  if (frontends === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  const found = frontends.filter((frontend) => matches(frontend, search));
  const others = closed.filter((app) => !app.hasOpenPages && matches(app, search));
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>{i18n.t("Home")}</Title>
        {frontends.length + closed.length > 0 && (
          <SearchInput
            label={i18n.t("Find an app")}
            isLabelHidden
            placeholder={i18n.t("Find an app")}
            value={search}
            onSearch={setSearch}
          />
        )}
      </Group>
      {search === undefined && <NeedsYou />}
      {search !== undefined && found.length + others.length === 0 && (
        <Empty title={i18n.t("No app matches")}>{i18n.t("The search looks at names and descriptions.")}</Empty>
      )}
      {frontends.length === 0 && <NoApps hasOthers={closed.length > 0} />}
      <OwnApps frontends={found} closed={closed} />
      <MoreApps apps={others} />
    </Stack>
  );
}

function matches(
  { name, displayName, description }: Pick<ClosedApp, "name" | "displayName" | "description">,
  search = "",
): boolean {
  return [name, displayName, description].some((text) => text?.toLowerCase().includes(search.toLowerCase()));
}

function NoApps({ hasOthers }: { readonly hasOthers: boolean }) {
  const { permissions } = useViewer();
  if (permissions.includes("app:view"))
    return (
      <Empty title={i18n.t("No app has a page yet")}>
        <Trans
          id="<0>Try an app</0> or <1>install your own</1>, and it appears here."
          components={{ 0: <PageLink to="/console/gallery" />, 1: <PageLink to="/console/apps" /> }}
        />
      </Empty>
    );
  return (
    <Empty title={i18n.t("There is no app for you yet")}>
      {hasOthers
        ? i18n.t("Ask for access to one of the apps below. It opens for you as soon as an administrator has granted it.")
        : i18n.t("An administrator can give you access to apps. They then appear here.")}
    </Empty>
  );
}

/** Favourites stand before the others. */
function OwnApps({ frontends, closed }: { readonly frontends: readonly Frontend[]; readonly closed: readonly ClosedApp[] }) {
  const { names, toggle } = useFavourites();
  const sorted = [...frontends].sort((a, b) => Number(names.has(b.name)) - Number(names.has(a.name)));
  if (sorted.length === 0) return null;
  return (
    <HomeSection title={i18n.t("Your apps")}>
      <ul className="tiles">
        {sorted.map((frontend) => (
          <li key={frontend.name}>
            <Tile
              frontend={frontend}
              closed={closed.find(({ name }) => name === frontend.name)}
              isFavourite={names.has(frontend.name)}
              onToggle={() => toggle(frontend.name)}
            />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

function MoreApps({ apps }: { readonly apps: readonly ClosedApp[] }) {
  if (apps.length === 0) return null;
  return (
    <HomeSection title={i18n.t("More apps")} line={i18n.t("You may not open these yet.")}>
      <ul className="tiles">
        {apps.map((app) => (
          <li key={app.name}>
            <ClosedTile app={app} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

interface SectionProps {
  readonly title: string;
  readonly line?: string;
  readonly children: ReactNode;
}

function HomeSection({ title, line, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb={line ? 0 : "sm"}>
        {title}
      </Title>
      {line && (
        <Text c="dimmed" mb="sm">
          {line}
        </Text>
      )}
      {children}
    </section>
  );
}
