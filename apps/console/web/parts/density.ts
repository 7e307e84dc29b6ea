import { Store, useStore } from "../api/store.ts";

const densities = ["comfortable", "compact"] as const;

export type Density = (typeof densities)[number];

const storageKey = "appserver-density";
const chosen: Store<Density> = new Store(stored());

/** Applies the density that this browser keeps. */
export function applyDensity(): void {
  document.documentElement.dataset["density"] = chosen.get();
}

/** Keeps how much space tables and cards have in this browser (console.css). */
export function chooseDensity(density: Density): void {
  try {
    localStorage.setItem(storageKey, density);
  } catch {
    // A browser without storage has it until the page is closed.
  }
  chosen.set(density);
  applyDensity();
}

export function useDensity(): Density {
  return useStore(chosen);
}

function stored(): Density {
  try {
    return densities.find((each) => each === localStorage.getItem(storageKey)) ?? "comfortable";
  } catch {
    return "comfortable";
  }
}
