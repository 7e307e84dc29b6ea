import { i18n } from "../i18n.ts";
import { Empty, HomeLink } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Empty title={i18n.t("There is no such page")}>
      <HomeLink />
    </Empty>
  );
}
