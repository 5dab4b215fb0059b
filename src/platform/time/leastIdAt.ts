/** Returns the least id that may be made at this moment. Ids of version 7 sort by the time when they were made. */
export const leastIdAt = (moment: Date): string => {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
