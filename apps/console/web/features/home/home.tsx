import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useViewer } from "../../api/viewer.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { firstIcon, lineOf, startOf } from "../hosting/frontend-facts.ts";
import { type Frontend, frontendsQuery } from "../hosting/frontend-queries.ts";

/** The apps that the viewer may use. Everyone may see this page. */
export function Home() {
  usePageTitle("Home");
  const { data: frontends, error, refetch } = useQuery(frontendsQuery);
  if (frontends === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  return (
    <>
      <Title order={1} mb="md">
        Your apps
      </Title>
      {frontends.length === 0 ? <NoApps /> : <Tiles frontends={frontends} />}
    </>
  );
}

function NoApps() {
  const { permissions } = useViewer();
  if (permissions.includes("app:view"))
    return (
      <Empty title="No app has a page yet">
        <PageLink to="/console/apps">Install an app</PageLink>, and it appears here.
      </Empty>
    );
  return (
    <Empty title="There is no app for you yet">An administrator can give you access to apps. They then appear here.</Empty>
  );
}

function Tiles({ frontends }: { readonly frontends: readonly Frontend[] }) {
  return (
    <ul className="tiles">
      {frontends.map((frontend) => (
        <li key={frontend.name}>
          <Tile frontend={frontend} />
        </li>
      ))}
    </ul>
  );
}

function Tile({ frontend }: { readonly frontend: Frontend }) {
  const { displayName, state } = frontend;
  return (
    <Link className="tile" to={startOf(frontend)}>
      <AppIcon icon={firstIcon(frontend)} title={displayName} large />
      <span className="tile-text">
        <Text component="span" fw={600} className="wrap">
          {displayName}
        </Text>
        <Text component="span" size="sm" c="dimmed" className="tile-line">
          {lineOf(frontend)}
        </Text>
        {state !== "RUNNING" && (
          <Status tone={state === "FAILED" ? "bad" : "warning"}>
            {state === "FAILED" ? "Failed" : state === "UNHEALTHY" ? "Does not respond" : "Starting"}
          </Status>
        )}
      </span>
    </Link>
  );
}
