import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { i18n } from "../../i18n.ts";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { startOf } from "../hosting/frontend-facts.ts";
import { frontendsQuery } from "../hosting/frontend-queries.ts";
import { GalleryCard } from "./gallery-card.tsx";
import { galleryQuery } from "./gallery-query.ts";

/** The apps that the platform brings, each to be tried with one click. */
export function Gallery() {
  usePageTitle(i18n.t("Try an app"));
  return (
    <Needs permission="app:view">
      <Title order={1}>{i18n.t("Try an app")}</Title>
      <Text c="dimmed" mb="md">
        {i18n.t("Small apps for a team. Each is installed with one click, and removed as easily.")}
      </Text>
      <Cards />
    </Needs>
  );
}

function Cards() {
  const { data: apps, error, refetch } = useQuery(galleryQuery);
  const { data: frontends = [] } = useQuery(frontendsQuery);
  if (apps === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  if (apps.length === 0)
    return (
      <Empty title={i18n.t("This platform brings no apps")}>{i18n.t("A platform in development offers some here.")}</Empty>
    );
  return (
    <ul className="tiles">
      {apps.map((app) => {
        const frontend = frontends.find(({ name }) => name === app.name);
        return (
          <li key={app.name}>
            <GalleryCard offered={app} page={frontend && startOf(frontend)} />
          </li>
        );
      })}
    </ul>
  );
}
