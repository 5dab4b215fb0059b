/** The kind of work that the bell, metrics and logs name. */
export const FANOUTS = "notification_fanouts"
