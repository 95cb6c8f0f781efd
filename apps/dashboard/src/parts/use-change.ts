import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

interface ChangeOptions<T> {
  /** The first words of the queries that the change makes stale, such as `listCrons`. */
  stale?: readonly string[];
  /** Runs once the stale queries are read again. */
  onDone?: (done: T) => unknown;
}

/** A change at the service. Whether it succeeds or fails, what it may have made stale is read again. */
export function useChange<T, Input = void>(
  change: (input: Input) => Promise<T>,
  { stale = [], onDone }: ChangeOptions<T> = {},
): UseMutationResult<T, Error, Input> {
  const client = useQueryClient();
  const refresh = async (): Promise<void> => {
    await Promise.all(stale.map((name) => client.invalidateQueries({ queryKey: [name] })));
  };
  return useMutation({
    mutationFn: change,
    onSuccess: async (done) => {
      await refresh();
      await onDone?.(done);
    },
    onError: refresh,
  });
}
