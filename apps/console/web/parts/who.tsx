import { useQuery } from "@tanstack/react-query";
import { nameQuery } from "../api/subjects.ts";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import { AppLink, AppName } from "./app-link.tsx";
import { hueOf } from "./hue.ts";
import { PageLink } from "./page-link.tsx";

/** What does something without an account. */
export const others: Readonly<Record<string, string>> = {
  anonymous: i18n.t("Not signed in"),
  operator: i18n.t("Operator of the server"),
  system: i18n.t("Platform"),
};

interface WhoProps {
  /** As events and the audit log have it: `user:alice`, `machine:<id>`, `app:<name>`, `system`. */
  readonly id: string;
  /** Leads to what a person or a service account holds. Default true. */
  readonly isLink?: boolean;
}

/** A person or a service account by name and initials, an app, or what else did something. The id is in the title. */
export function Who({ id, isLink = true }: WhoProps) {
  if (id.startsWith("app:")) {
    const name = id.slice("app:".length);
    return isLink ? <AppLink name={name} /> : <AppName name={name} />;
  }
  if (/^(?:user|machine):/.test(id)) return <Named id={id} isLink={isLink} />;
  return others[id] ?? id;
}

function Named({ id, isLink }: Required<WhoProps>) {
  const { permissions } = useViewer();
  const { data } = useQuery({ ...nameQuery(id), enabled: permissions.includes("app:view") });
  const name = data ?? shortOf(id);
  return (
    <span className="who" title={id}>
      <Initials id={id} name={name} />
      {isLink && permissions.includes("access:view") ? (
        <PageLink to="/console/access" search={{ subject: id }} size="sm" underline="always" className="wrap">
          {name}
        </PageLink>
      ) : (
        <span className="wrap">{name}</span>
      )}
    </span>
  );
}

interface InitialsProps {
  readonly id: string;
  readonly name: string;
  /** At the head of a page. */
  readonly isLarge?: boolean;
}

/** Stands for a picture of a person, or of a service account. */
export function Initials({ id, name, isLarge = false }: InitialsProps) {
  const words = name.split(/[\s@._-]+/).filter((word) => word !== "");
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "");
  return (
    <span
      className={isLarge ? "initials initials-large" : "initials"}
      data-hue={hueOf(id)}
      data-kind={id.split(":", 1)[0]}
      aria-hidden="true"
    >
      {letters.join("").toUpperCase()}
    </span>
  );
}

/** Returns what stands for who did something until its name is known. */
export function unnamed(id: string): string {
  return others[id] ?? shortOf(id);
}

/** Without a name, the beginning of a long id is enough to tell two apart. */
function shortOf(id: string): string {
  const text = id.slice(id.indexOf(":") + 1);
  return /^[0-9a-f-]{36}$/.test(text) ? text.slice(0, 8) : text;
}
