import type { AmplifierModule } from '@amplifier/core';
import { AiSdkProvider } from './ai-sdk-provider.js';
import { readSettings } from './settings.js';
import type { Vendor } from './vendor.js';

/** A vendor as a module. Without credentials it mounts nothing and says where it looked for them. */
export function vendorModule(vendor: Vendor): AmplifierModule {
  return {
    mount(coordinator, config) {
      const reading = readSettings(vendor, config, process.env);
      if (!reading.ok) {
        const { code, message } = reading;
        coordinator.report({ level: 'warning', code, message, module_id: vendor.module_id });
        return;
      }
      const provider = new AiSdkProvider(vendor, reading.settings, coordinator.clock);
      coordinator.mounts.mount('providers', provider, vendor.name);
    },
  };
}
