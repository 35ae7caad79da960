import { type AmplifierModule, environmentOf } from '@amplifier/core';
import { AiSdkProvider } from './ai-sdk-provider.js';
import { readSettings } from './settings.js';
import type { Vendor } from './vendor.js';

/** A vendor as a module. Without credentials it mounts nothing and says where it looked for them. */
export function vendorModule(vendor: Vendor): AmplifierModule {
  return {
    mount(coordinator, config) {
      const reading = readSettings(vendor, config, environmentOf(config));
      if (!reading.ok) {
        const { code, message } = reading;
        coordinator.report({ level: 'warning', code, message, module_id: vendor.module_id });
        return;
      }
      const provider = new AiSdkProvider(vendor, reading.settings, coordinator.clock);
      // A closure that is assigned directly keeps its session until all memory is searched.
      const answersFolder = () => coordinator.getCapability('session.answers_folder') ?? null;
      provider.answersFolder = answersFolder;
      coordinator.mounts.mount('providers', provider, vendor.name);
    },
  };
}
