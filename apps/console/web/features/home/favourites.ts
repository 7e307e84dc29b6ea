import { Store, useStore } from "../../api/store.ts";
import { useViewer } from "../../api/viewer.ts";

/** The favourite apps of each user of this browser, by subject. */
const favourites: Store<Readonly<Record<string, readonly string[]>>> = new Store<Readonly<Record<string, readonly string[]>>>(
  {},
);

const keyOf = (subject: string): string => `favourites/${subject}`;

function stored(subject: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(keyOf(subject)) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function store(subject: string, names: readonly string[]): void {
  try {
    localStorage.setItem(keyOf(subject), JSON.stringify(names));
  } catch {
    // A browser without storage keeps them until the page is closed.
  }
}

export interface Favourites {
  readonly names: ReadonlySet<string>;
  readonly toggle: (name: string) => void;
}

/** Returns the favourite apps of the viewer, which this browser keeps. */
export function useFavourites(): Favourites {
  const subject = useViewer().subject ?? "";
  const names = useStore(favourites)[subject] ?? stored(subject);
  return {
    names: new Set(names),
    toggle: (name) => {
      const next = names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
      store(subject, next);
      favourites.set({ ...favourites.get(), [subject]: next });
    },
  };
}
