import { Alert } from "@mantine/core";
import { useEffect, useState } from "react";
import { connection } from "../api/connection.ts";
import { useStore } from "../api/store.ts";
import { useOutage } from "../api/use-outage.ts";
import { i18n } from "../i18n.ts";

/** Shorter interruptions heal before anybody could read of them. */
const graceMs = 400;

/** Says that the platform cannot be reached, or what it needs and cannot reach, until it can. */
export function ConnectionBanner() {
  const outage = useOutage();
  const isLost = useStore(connection) === "lost" && outage === undefined;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isLost) return setShown(false);
    const timer = setTimeout(() => setShown(true), graceMs);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <div role="status">
      {outage && (
        <Alert color={outage.isCritical ? "red" : "yellow"} variant="outline" mb="md" title={outage.title}>
          {i18n.t("{effects} The console continues by itself as soon as it is back.", { effects: outage.effects.join(" ") })}
        </Alert>
      )}
      {isShown && (
        <Alert color="yellow" variant="outline" mb="md" title={i18n.t("The connection to the platform is lost")}>
          {i18n.t("What you see may be out of date. The console connects again by itself.")}
        </Alert>
      )}
    </div>
  );
}
