import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { Attention } from "../overview/attention.tsx";

/** What waits for the viewer. Nothing for those who only use apps. */
export function NeedsYou() {
  const { permissions } = useViewer();
  const isConcerned = permissions.includes("app:view") || permissions.includes("access:view");
  return isConcerned ? <Attention title={i18n.t("What needs you")} isSilent /> : null;
}
