/** Whether a run waits or runs: its counts still change. */
export function isLive({ status }: { status: string }): boolean {
  return status === 'pending' || status === 'running';
}
