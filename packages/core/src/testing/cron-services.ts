import { createSubmitServices } from './submit-services.ts';
import { openTestServices } from './test-services.ts';

/** Services for tests of crons: those of a request, and those of a scheduler alone. */
export async function openCronServices() {
  const opened = await openTestServices();
  const submitServices = createSubmitServices(opened.services);
  return {
    submitServices,
    services: { ...opened.services, ...submitServices, config: opened.services.config },
    close: async (): Promise<void> => {
      await submitServices.external.close();
      await opened.close();
    },
  };
}
