/**
 * Nothing is written into a file that nobody else sees, or that was found damaged, as by a copy that was written over it while it
 * was open. SQLite notices neither: it goes on with a log and with pages in memory that belong to another file. DESIGN 9.1, 9.14.
 */
import { statSync } from "node:fs";
import { FlexiqError } from "../errors.ts";
import type { Driver } from "./drivers/driver.ts";
import { sameFileCheck } from "./same-file.ts";
import { corruptError, explained, isLocked } from "./sqlite-errors.ts";

export class FileGuard {
  readonly #dbPath: string;
  readonly #driver: Driver;
  readonly #checkSameFile: () => void;
  #found: FlexiqError | undefined;
  /** Bytes of the file at the last look. */
  #size: number;

  constructor(dbPath: string, driver: Driver) {
    this.#dbPath = dbPath;
    this.#driver = driver;
    this.#size = statSync(dbPath).size;
    this.#checkSameFile = sameFileCheck(dbPath, (size) => this.#look(size));
  }

  /** Runs `work` on the file. @throws FlexiqError file-missing, file-replaced; corrupt, for good; what `work` throws */
  run<T>(work: () => T): T {
    if (this.#found !== undefined) throw this.#found;
    try {
      this.#checkSameFile();
      return work();
    } catch (error) {
      throw this.#judge(error);
    }
  }

  /** A queue's file shrinks by no more than a VACUUM by hand. */
  #look(size: number): void {
    if (size < this.#size && !this.#isSound()) throw corruptError(this.#dbPath, "damaged");
    this.#size = size;
  }

  /** What a call on the file threw; `corrupt` also where our own code fell over what it read. */
  #judge(error: unknown): unknown {
    if (isLocked(error)) return error;
    const told = explained(error, this.#dbPath);
    const isOurs = told instanceof FlexiqError && told.code !== "sqlite";
    if (isOurs && told.code !== "corrupt") return error;
    if (isOurs) this.#found = told;
    else if (!this.#isSound()) this.#found = corruptError(this.#dbPath, "damaged", error);
    return this.#found ?? error;
  }

  /** Through a connection of its own: ours has pages in memory as they were. */
  #isSound(): boolean {
    let db: ReturnType<Driver["open"]> | undefined;
    try {
      db = this.#driver.open(this.#dbPath);
      const row = db.prepare("PRAGMA quick_check(1)").get() as { quick_check: string } | undefined;
      return row?.quick_check === "ok";
    } catch (error) {
      const told = explained(error, this.#dbPath);
      return !(told instanceof FlexiqError && told.code === "corrupt");
    } finally {
      db?.close();
    }
  }
}
