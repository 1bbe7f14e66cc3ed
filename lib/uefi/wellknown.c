/* SPDX-License-Identifier: MIT */
/*
 * wellknown.c — GUIDs and variable names that everybody knows, see variable.h.
 *
 * Names with a '#' stand for a family: each '#' is one upper-case hexadecimal digit
 * (UEFI 2.10 §3.3, table 3.1). Others are edk2's, shim's and the boot loaders' own, as they are met
 * in images.
 */
#include "uefi/variable.h"

#include <string.h>

#define GUID_GLOBAL                                                                                \
	GUID_OF(0x8be4df61, 0x93ca, 0x11d2, 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c)
#define GUID_SECURITY                                                                              \
	GUID_OF(0xd719b2cb, 0x3d3a, 0x4596, 0xa3, 0xbc, 0xda, 0xd0, 0x0e, 0x67, 0x65, 0x6f)
#define GUID_SHIM                                                                                  \
	GUID_OF(0x605dab50, 0xe046, 0x4300, 0xab, 0xb6, 0x3d, 0xd8, 0x10, 0xdd, 0x8b, 0x23)
#define GUID_LOADER                                                                                \
	GUID_OF(0x4a67b082, 0x0a4c, 0x41cf, 0xb6, 0xc7, 0x44, 0x0b, 0x29, 0xbb, 0x8c, 0x4f)
#define GUID_SECURE_BOOT_ENABLE                                                                    \
	GUID_OF(0xf0a30bc7, 0xaf08, 0x4556, 0x99, 0xc4, 0x00, 0x10, 0x09, 0xc9, 0x3a, 0x44)
#define GUID_CUSTOM_MODE                                                                           \
	GUID_OF(0xc076ec0c, 0x7028, 0x4399, 0xa0, 0x72, 0x71, 0xee, 0x5c, 0x44, 0x8b, 0x9f)
#define GUID_VENDOR_KEYS                                                                           \
	GUID_OF(0x9073e4e0, 0x60ec, 0x4b6e, 0x99, 0x03, 0x4c, 0x22, 0x3c, 0x26, 0x0f, 0x3c)
#define GUID_CERTDB                                                                                \
	GUID_OF(0xd9bee56e, 0x75dc, 0x49d9, 0xb4, 0xd7, 0xb5, 0x34, 0x21, 0x0f, 0x63, 0x7a)
#define GUID_VAR_ERROR                                                                             \
	GUID_OF(0x04b37fe8, 0xf6ae, 0x480b, 0xbd, 0xd5, 0x37, 0xd9, 0x8c, 0x5e, 0x89, 0xaa)
#define GUID_MTC                                                                                   \
	GUID_OF(0xeb704011, 0x1402, 0x11d3, 0x8e, 0x77, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b)
#define GUID_MEMORY_TYPE                                                                           \
	GUID_OF(0x4c19049f, 0x4137, 0x4dd3, 0x9c, 0x10, 0x8b, 0x97, 0xa8, 0x3f, 0xfd, 0xfa)
#define GUID_FWUPDATE                                                                              \
	GUID_OF(0x0abba7dc, 0xe516, 0x4167, 0xbb, 0xf5, 0x4d, 0x9d, 0x1c, 0x73, 0x94, 0x16)
#define GUID_MICROSOFT                                                                             \
	GUID_OF(0x77fa9abd, 0x0359, 0x4d32, 0xbd, 0x60, 0x28, 0xf4, 0xe7, 0x8f, 0x78, 0x4b)
#define GUID_LINUX_CRASH                                                                           \
	GUID_OF(0xcfc8fc79, 0xbe2e, 0x4ddc, 0x97, 0xf0, 0x9f, 0x98, 0xbf, 0xe2, 0x98, 0xa0)
#define GUID_LINUX_RANDOM_SEED                                                                     \
	GUID_OF(0x1ce1e5bc, 0x7ceb, 0x42f2, 0x81, 0xe5, 0x8a, 0xad, 0xf1, 0x80, 0xf5, 0x7b)

const struct guid uefi_global_guid = GUID_GLOBAL;
const struct guid uefi_image_security_guid = GUID_SECURITY;
const struct guid uefi_linux_crash_guid = GUID_LINUX_CRASH;
const struct guid uefi_linux_random_seed_guid = GUID_LINUX_RANDOM_SEED;

/* A vendor, its short name, and the variables that are looked for under it. */
static const struct {
	struct guid vendor;
	const char *short_name;
	const char *const *names; /* NULL-terminated; NULL when none is unmistakable */
} vendors[] = {
	{GUID_GLOBAL, "global",
		(const char *const[]){"Boot####", "BootOrder", "BootNext", "BootCurrent",
			"BootOptionSupport", "Driver####", "DriverOrder", "SysPrep####",
			"SysPrepOrder", "Key####", "PlatformRecovery####", "OsRecovery####",
			"OsRecoveryOrder", "ConIn", "ConInDev", "ConOut", "ConOutDev", "ErrOut",
			"ErrOutDev", "Lang", "LangCodes", "PlatformLang", "PlatformLangCodes",
			"Timeout", "OsIndications", "OsIndicationsSupported", "HwErrRecSupport",
			"RuntimeServicesSupported", "CryptoIndications",
			"CryptoIndicationsSupported", "CryptoIndicationsActivated", "PK", "KEK",
			"PKDefault", "KEKDefault", "dbDefault", "dbxDefault", "dbtDefault",
			"dbrDefault", "SetupMode", "SecureBoot", "AuditMode", "DeployedMode",
			"VendorKeys", "SignatureSupport", NULL}},
	{GUID_SECURITY, "image-security",
		(const char *const[]){"db", "dbx", "dbt", "dbr", NULL}},
	{GUID_SHIM, "shim",
		(const char *const[]){"MokList", "MokListRT", "MokListX", "MokListXRT",
			"MokListTrusted", "MokListTrustedRT", "MokNew", "MokAuth", "MokDel",
			"MokDelAuth", "MokXNew", "MokXAuth", "MokXDel", "MokXDelAuth", "MokSB",
			"MokSBState", "MokSBStateRT", "MokDB", "MokDBState", "MokIgnoreDB",
			"MokPW", "MokPWStore", "MokPolicy", "MokTimeout", "MokListTrustedNew",
			"SbatLevel", "SbatLevelRT", "SbatPolicy", "SHIM_DEBUG", "SHIM_VERBOSE",
			"FALLBACK_VERBOSE", NULL}},
	{GUID_LOADER, "loader",
		(const char *const[]){"LoaderInfo", "LoaderFeatures", "LoaderEntries",
			"LoaderEntryDefault", "LoaderEntryOneShot", "LoaderEntrySelected",
			"LoaderEntryLastBooted", "LoaderConfigTimeout",
			"LoaderConfigTimeoutOneShot", "LoaderConfigConsoleMode",
			"LoaderDevicePartUUID", "LoaderFirmwareInfo", "LoaderFirmwareType",
			"LoaderImageIdentifier", "LoaderRandomSeed", "LoaderSystemToken",
			"LoaderTimeInitUSec", "LoaderTimeExecUSec", "LoaderTimeMenuUSec",
			"LoaderBootCountPath", "StubInfo", "StubFeatures", NULL}},
	{GUID_SECURE_BOOT_ENABLE, "secure-boot-enable",
		(const char *const[]){"SecureBootEnable", NULL}},
	{GUID_CUSTOM_MODE, "custom-mode", (const char *const[]){"CustomMode", NULL}},
	{GUID_VENDOR_KEYS, "vendor-keys", (const char *const[]){"VendorKeysNv", NULL}},
	{GUID_CERTDB, "certdb", (const char *const[]){"certdb", "certdbv", NULL}},
	{GUID_VAR_ERROR, "var-error", (const char *const[]){"VarErrorFlag", NULL}},
	{GUID_MTC, "mtc", (const char *const[]){"MTC", NULL}},
	{GUID_MEMORY_TYPE, "memory-type", (const char *const[]){"MemoryTypeInformation", NULL}},
	{GUID_LINUX_CRASH, "linux-crash", NULL},
	{GUID_LINUX_RANDOM_SEED, "linux-random-seed", NULL},
	{GUID_FWUPDATE, "fwupdate", NULL},
	{GUID_MICROSOFT, "microsoft", NULL},
};

static bool is_upper_hexadecimal(uint16_t unit)
{
	return (unit >= '0' && unit <= '9') || (unit >= 'A' && unit <= 'F');
}

bool uefi_name_matches(const struct uefi_name *name, const char *pattern)
{
	if (strlen(pattern) != name->count)
		return false;
	for (size_t i = 0; i < name->count; i++) {
		if (pattern[i] == '#' ? !is_upper_hexadecimal(name->units[i]) :
					name->units[i] != (uint8_t)pattern[i])
			return false;
	}
	return true;
}

const struct guid *uefi_well_known_guid(const struct uefi_name *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
		for (const char *const *n = vendors[i].names; n && *n; n++) {
			if (uefi_name_matches(name, *n))
				return &vendors[i].vendor;
		}
	}
	return NULL;
}

const char *uefi_guid_name(const struct guid *vendor)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
		if (guid_equal(&vendors[i].vendor, vendor))
			return vendors[i].short_name;
	}
	return NULL;
}
