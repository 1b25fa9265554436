/** How far ahead the dead-man alarm stands. Local workerd drops an unwatched object after 70 s (measured). */
export const DEAD_MAN_MS = 30_000;
